// Apps that were told to stop, serve nobody any more, and do not exit: what they wait for.
import { createServer, type Server } from 'node:http';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { eventually } from '../../helpers/eventually.ts';
import { freePort } from '../../helpers/http.ts';
import { fixture, homeForEach } from '../../helpers/nsv.ts';
import { Visitors } from '../../helpers/visitors.ts';

let [port, collectorPort] = [0, 0];
let collector: Server;

beforeEach(async () => {
  [port, collectorPort] = [await freePort(), await freePort()];
  collector = createServer((_, response) => response.end());
});
// Runs after the home has stopped the app, which needs it.
afterEach(() => void collector.close());
const nsv = homeForEach();

/** They never exit before the collector is there. */
const start = () => {
  const words = ['--name', 'web', '-i', '2', '--kill-timeout', '10m', '--', `${port}`, `${collectorPort}`];
  return nsv.ok('start', fixture('retries.cjs'), ...words);
};

/** What has happened to which instance, as the daemon says. */
function log(...messages: string[]): string[] {
  const facts = nsv.logLines().filter(({ msg }) => messages.includes(String(msg)));
  return facts.map(({ msg, slot }) => `${msg} ${slot}`);
}

function waits(slot: number): unknown {
  const begin = `web (instance ${slot}) has not exited since SIGTERM: it waits for `;
  const end = `, and cannot connect to 127.0.0.1:${collectorPort} (ECONNREFUSED)`;
  return expect.toSatisfy((line: string) => line.startsWith(begin) && line.endsWith(end), `${begin}…${end}`);
}

describe('an app whose stop handler retries a connection forever', () => {
  it('is reloaded without waiting for the old processes, and the command prints what they wait for', async () => {
    await start();
    const visitors = new Visitors(4, { port });
    await eventually(() => visitors.answers.length > 8);
    const { code, stderr } = await nsv.run('reload', 'web', '--json');
    await visitors.leave();
    collector.listen(collectorPort);
    expect({ code, failures: visitors.failures }).toEqual({ code: 0, failures: [] });
    expect(stderr.trim().split('\n')).toEqual([waits(0), waits(1)]);
    expect(log('start', 'not-exiting')).toEqual([
      ...['start 0', 'start 1'],
      ...['start 0', 'not-exiting 0', 'start 1', 'not-exiting 1'],
    ]);
    await eventually(() => log('exit').length === 2);
  });

  it('makes "nsv stop" print what it waits for', { tags: 'full' }, async () => {
    await start();
    const stopped = nsv.run('stop', 'web', '--json');
    await eventually(() => log('not-exiting').length === 2);
    collector.listen(collectorPort);
    const { code, stderr } = await stopped;
    expect(code).toBe(0);
    expect(stderr.trim().split('\n').sort()).toEqual([waits(0), waits(1)]);
  });
});
