// Probes of real apps, by one daemon.
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { Agent, get, type IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { certificate } from '../../helpers/certificate.ts';
import { eventually } from '../../helpers/eventually.ts';
import { bodies, freePort } from '../../helpers/http.ts';
import { fixture, isAlive, processesWith, TestHome, written } from '../../helpers/nsv.ts';
import { probe } from '../../helpers/probe.ts';
import { Visitors } from '../../helpers/visitors.ts';

const nsv = new TestHome();
const probed = fixture('probed.cjs');
const often = ['--ready-probe-interval', '100ms', '--ready-probe-failures', '2', '--ready-probe-timeout', '20s'];

beforeAll(() => nsv.begin());
afterEach(() => nsv.run('delete', 'all'));
afterAll(async () => expect(await nsv.dispose()).toEqual([]));

let count = 0;

/** The files that say how the instances of an app answer. */
function answers(): { file: string; say(slot: number, what: string): void; recover(slot: number): void } {
  count += 1;
  const file = join(nsv.directory, `says-${count}`);
  return {
    file,
    say: (slot, what) => writeFileSync(`${file}-${slot}`, what),
    recover: (slot) => rmSync(`${file}-${slot}`),
  };
}

/** Slots of the processes that are not ready, once these are. */
async function untilUnready(app: string, slots: number[]): Promise<void> {
  await eventually(async () => {
    const views = await nsv.list(app);
    const unready = views.filter((view) => view.unready !== undefined).map(({ slot }) => slot);
    return JSON.stringify(unready) === JSON.stringify(slots);
  });
}

describe('a process whose ready probe fails', () => {
  it('gets no new connection until the probe succeeds again, and no request is lost', async () => {
    const [port, { file, say, recover }] = [await freePort(), answers()];
    const words = [probed, '-i', '2', '--name', 'web', '--ready-probe', `http://:${port}/health`, ...often];
    await nsv.ok('start', ...words, '--', 'http', String(port), file);
    const visitors = new Visitors(8, { port, think: 5 });
    const kept = await keptAt(port, '1');
    say(1, '500');
    await untilUnready('web', [1]);
    // The daemon knows a moment before the process has left the queue.
    await eventually(async () => new Set(await bodies(port, 20)).size === 1);
    expect(new Set(await bodies(port, 100))).toEqual(new Set(['0']));
    // Its next answer says that the connection ends.
    expect(await asked(port, kept)).toMatchObject({ body: '1\n', headers: { connection: 'close' } });
    kept.destroy();
    expect(await nsv.run('health', 'web')).toMatchObject({ code: 0, stdout: expect.stringContaining('1 of 2 ready') });
    expect(await nsv.ok('list', 'web')).toContain('not ready');
    expect(await nsv.ok('show', 'web')).toContain('/health: it answered with status 500, 2 times in a row');
    const [, jlisted] = JSON.parse(await nsv.ok('jlist')) as { pm2_env: { not_ready: string } }[];
    expect(jlisted!.pm2_env.not_ready).toContain('status 500');
    // The last one goes on serving.
    say(0, '503');
    await untilUnready('web', [0, 1]);
    expect((await bodies(port, 20)).every((body) => body === '0' || body === '1')).toBe(true);
    expect(await nsv.run('health', 'web')).toMatchObject({ code: 9, stderr: expect.stringContaining('not ready') });
    recover(0);
    recover(1);
    await untilUnready('web', []);
    (await keptAt(port, '1')).destroy();
    await eventually(() => visitors.answers.length > 100);
    expect(await visitors.leave()).toEqual([]);
    expect((await nsv.list('web')).map(({ restarts }) => restarts)).toEqual([0, 0]);
  });

  it('is identified for every kind of server and schedule', { tags: 'full' }, async () => {
    const files = await certificate(nsv.directory);
    const socket = join(nsv.directory, 'app.sock');
    const says = answers();
    const app = (name: string, server: string, place: number | string, schedule: string, probe: object) => ({
      ...{ name, script: probed, args: [server, String(place), says.file, ...files], instances: 2, schedule },
      ready_probe: { ...probe, interval: '100ms', failures: 2, timeoutSeconds: 20 },
    });
    const ports = await Promise.all(Array.from({ length: 5 }, () => freePort()));
    const [turns, secure, streams, secureStreams, knocks] = ports;
    const apps = [
      app('turns', 'http', turns!, 'rr', { http: `:${turns}/health` }),
      app('secure', 'https', secure!, 'kernel', { http: `https://:${secure}/health` }),
      app('streams', 'h2c', streams!, 'kernel', { http: `:${streams}/health` }),
      app('secure-streams', 'h2', secureStreams!, 'rr', { http: `https://:${secureStreams}/health` }),
      app('unix', 'http', socket, 'kernel', { http: `http://unix:${socket}:/health` }),
      app('knocks', 'http', knocks!, 'kernel', { tcp: knocks }),
    ];
    await nsv.ok('start', nsv.script('nsv.config.json', JSON.stringify({ apps })));
    says.say(1, '500');
    // Somebody who only knocks finds it open.
    for (const { name } of apps) await untilUnready(name, name === 'knocks' ? [] : [1]);
    // Still asked, though it is out of the queue.
    says.recover(1);
    for (const { name } of apps) await untilUnready(name, []);
  });

  it('stays not ready under the next daemon, which keeps probing', { tags: 'full' }, async () => {
    const [port, { file, say, recover }] = [await freePort(), answers()];
    const words = [probed, '-i', '2', '--name', 'web', '--ready-probe', `http://:${port}/health`, ...often];
    await nsv.ok('start', ...words, '--', 'http', String(port), file);
    say(1, '500');
    await untilUnready('web', [1]);
    await nsv.ok('save');
    await nsv.replaceDaemon();
    await untilUnready('web', [1]);
    await eventually(async () => new Set(await bodies(port, 20)).size === 1);
    recover(1);
    await untilUnready('web', []);
    (await keptAt(port, '1')).destroy();
    await nsv.ok('update');
    say(0, '500');
    await untilUnready('web', [0]);
  });
});

describe('a start', () => {
  it('fails if the probe does not succeed in time, and a reload replaces nothing', { tags: 'full' }, async () => {
    const [port, { file, say, recover }] = [await freePort(), answers()];
    say(0, '418');
    const words = ['--name', 'web', '--ready-probe', `http://:${port}/health`, ...often, '--listen-timeout', '1s'];
    const failed = await nsv.run('start', probed, ...words, '--', 'http', String(port), file);
    expect(failed).toMatchObject({ code: 6, stderr: expect.stringContaining('not ready within 1s: ') });
    recover(0);
    await eventually(async () => (await nsv.list('web'))[0]!.status === 'online');
    const [before] = await nsv.list('web');
    say(0, '500');
    await untilUnready('web', [0]);
    expect(await nsv.run('reload', 'web')).toMatchObject({ code: 6, stderr: expect.stringContaining('within 1s: ') });
    expect((await nsv.list('web'))[0]!.pid).toBe(before!.pid);
  });

  it('waits for a probe command in any language, and a hung one ends with its daemon', { tags: 'full' }, async () => {
    const [flag, hang] = [join(nsv.directory, 'flag'), join(nsv.directory, 'hang')];
    nsv.script('slow.py', `import time, os\nopen(${JSON.stringify(flag)}, 'w').close()\ntime.sleep(1000)\n`);
    nsv.script(
      'check.sh',
      `#!/bin/sh\necho "asked in $PWD by $NSV_APP"\ntest -e ${hang} && ASKED=1 sleep 1000\ntest -e ${flag}\n`,
    );
    const python = ['--ready-probe', 'exec:./check.sh', ...often];
    await nsv.ok('start', 'slow.py', '--name', 'python', '--cwd', nsv.directory, ...python);
    await untilUnready('python', []);
    rmSync(flag);
    await untilUnready('python', [0]);
    expect((await nsv.list('python'))[0]!.unready).toContain(`exit code 1: asked in ${nsv.directory} by python`);
    writeFileSync(flag, '');
    await untilUnready('python', []);
    const hanging = () => processesWith(`NSV_HOME=${nsv.home}`, 'ASKED=1');
    writeFileSync(hang, '');
    const [left] = await eventually(() => hanging().length > 0 && hanging());
    await nsv.replaceDaemon();
    await eventually(() => !hanging().includes(left!));
  });
});

describe('a process whose live probe fails', () => {
  it('is replaced even if it hangs', async () => {
    const [port, { file, say, recover }] = [await freePort(), answers()];
    const limits = ['--live-probe-failures', '1', '--live-probe-timeout', '3s', '--kill-timeout', '1s'];
    const live = ['--live-probe', `http://:${port}/health`, '--live-probe-interval', '100ms', ...limits];
    const words = ['-i', '2', '--name', 'web', ...live];
    await nsv.ok('start', probed, ...words, '--', 'http', String(port), file);
    const [, before] = await nsv.list('web');
    const visitors = new Visitors(4, { port, think: 5 });
    say(1, 'spin');
    // It takes no clients any more once it spins, so that none of them is cut off.
    await eventually(async () => (await nsv.list('web'))[1]!.pid !== before!.pid || undefined);
    recover(1);
    await eventually(() => !isAlive(before!.pid!));
    await visitors.leave();
    expect((await nsv.list('web')).map(({ restarts }) => restarts)).toEqual([0, 1]);
    const log = await written(join(nsv.home, 'daemon.log'));
    expect(log).toContain('no answer within 3s');
  });

  it('is replaced if the probe is a command that hangs, and no command is left behind', { tags: 'full' }, async () => {
    mkdirSync(join(nsv.directory, 'state'), { recursive: true });
    const ok = join(nsv.directory, 'state', 'ok');
    writeFileSync(ok, '');
    // Hangs with a child of its own when the file is gone.
    nsv.script('live.sh', `#!/bin/sh\ntest -e ${ok} && exit 0\nPROBED=1 sleep 1000 &\nPROBED=1 sleep 1000\n`);
    const live = ['--live-probe', 'exec:./live.sh', '--live-probe-interval', '100ms', '--live-probe-failures', '1'];
    await nsv.sleeper('shell', '--cwd', nsv.directory, ...live, '--live-probe-timeout', '500ms');
    const [before] = await nsv.list('shell');
    rmSync(ok);
    await eventually(() => processesWith(`NSV_HOME=${nsv.home}`, 'PROBED=1').length === 2);
    await eventually(async () => (await nsv.list('shell'))[0]!.restarts > 0);
    writeFileSync(ok, '');
    await eventually(async () => {
      const [now] = await nsv.list('shell');
      return now!.status === 'online' && now!.pid !== before!.pid;
    });
    await eventually(() => processesWith(`NSV_HOME=${nsv.home}`, 'PROBED=1').length === 0);
  });
});

it('a probe asks an app whose servers are in workers of its own', { tags: 'full' }, async () => {
  const port = await freePort();
  nsv.script(
    'own.cjs',
    `const cluster = require('node:cluster');
    if (cluster.isPrimary) cluster.fork();
    else require('node:http').createServer((_, response) => response.end()).listen(${port});`,
  );
  await nsv.ok('start', join(nsv.directory, 'own.cjs'), '--ready-probe', `http://:${port}/`, ...often);
  expect((await probe(port, '/')).code).toBe(200);
});

/** A client that keeps its connection, which this instance serves. */
async function keptAt(port: number, slot: string): Promise<Agent> {
  return eventually(async () => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    if ((await asked(port, agent)).body.trim() === slot) return agent;
    agent.destroy();
    return undefined;
  });
}

function asked(port: number, agent: Agent): Promise<Pick<IncomingMessage, 'headers'> & { body: string }> {
  return new Promise((resolve, reject) => {
    get({ port, agent }, (response) => {
      let body = '';
      response.setEncoding('utf8').on('data', (part) => (body += part));
      response.on('end', () => resolve({ headers: response.headers, body }));
    }).on('error', reject);
  });
}
