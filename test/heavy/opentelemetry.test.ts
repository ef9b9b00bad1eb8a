// OpenTelemetry without a line of code, as its documentation shows it. Its handler of the stop signal reports the last spans
// and never exits. Where no collector is there, it tries again for ever.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Collector } from '../helpers/collector.ts';
import { eventually } from '../helpers/eventually.ts';
import { ask, freePort } from '../helpers/http.ts';
import { homeForEach } from '../helpers/nsv.ts';
import { installPackages } from '../helpers/packages.ts';
import { answer, reloaded, stopped } from '../helpers/under-way.ts';

const nsv = homeForEach();
const packages = await installPackages('@opentelemetry/auto-instrumentations-node', '@opentelemetry/api', 'express');
let collector: Collector;

beforeEach(async () => {
  collector = await Collector.create();
});
afterEach(() => collector.close());

const app = `
const handler = ${answer};
require('express')().get('/', handler).get('/held', handler).listen(Number(process.argv[2]));
`;

/** How the processes have ended so far, as the daemon says. */
function exits(): unknown[] {
  const facts = nsv.logLines().filter(({ msg }) => msg === 'exit');
  return facts.map(({ exit }) => exit);
}

/** `killTimeout`: such as `5s`. */
async function start(port: number, killTimeout: string): Promise<void> {
  const script = nsv.script('app.cjs', app);
  packages.link(nsv.directory);
  const preload = ['--node-args', '--require @opentelemetry/auto-instrumentations-node/register'];
  const limits = ['--kill-timeout', killTimeout, '--listen-timeout', '60s'];
  const words = ['start', script, '--name', 'web', '-i', '2', '--merge-logs', ...limits, ...preload, '--', `${port}`];
  expect(await nsv.runWith({ env: collector.env }, ...words)).toMatchObject({ code: 0 });
  // A large package takes its time, and what is up for a second counts as ready.
  await eventually(async () => (await nsv.list('web')).every(({ ports }) => ports.length === 1));
}

describe.skipIf(packages.missing !== undefined)('an app that preloads OpenTelemetry', () => {
  it('loses no request in a reload and a stop, exits with code 0, and reports each request before it exits', async () => {
    const port = await freePort();
    await start(port, '60s');
    const answers = await reloaded(nsv, port);
    const byItself = { code: 0, signal: null };
    await eventually(() => exits().length === 2);
    expect(exits()).toEqual([byItself, byItself]);
    await stopped(nsv, port);
    expect(exits()).toEqual(Array.from({ length: 4 }, () => byItself));
    const requests = collector.spans.filter(({ kind }) => kind === 2).map(({ name }) => name);
    expect(requests.filter((name) => name === 'GET /held').length).toBe(4);
    expect(requests.filter((name) => name === 'GET /').length).toBe(answers.length);
  });

  it('is reloaded with a notice that names the unreachable collector', async () => {
    const port = await freePort();
    await start(port, '20s');
    expect(await ask(port)).toMatchObject({ ok: true });
    const { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint = '' } = collector.env;
    collector.close();
    const { code, stderr } = await nsv.run('reload', 'web', '--json');
    const cannot = `cannot connect to ${new URL(endpoint).host} (ECONNREFUSED)`;
    expect(code).toBe(0);
    expect(stderr.trim().split('\n')).toEqual([0, 1].map(() => expect.stringContaining(cannot)));
  });
});
