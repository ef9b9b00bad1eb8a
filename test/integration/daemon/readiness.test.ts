// What the probes say of real processes: the daemon's parts in the test's own process, the apps in theirs.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type AppSettings, parseAppSpec } from '../../../src/config/app-spec.ts';
import { Group } from '../../../src/daemon/apps/group.ts';
import * as operations from '../../../src/daemon/apps/operations.ts';
import { everything, Registry } from '../../../src/daemon/apps/registry.ts';
import { createStartThrottle } from '../../../src/daemon/apps/start-throttle.ts';
import { type HealthServer, startHealth } from '../../../src/daemon/control/health.ts';
import { createHealthReport } from '../../../src/daemon/control/health-report.ts';
import { createEventBus } from '../../../src/daemon/events.ts';
import { runHook } from '../../../src/daemon/launch/hook.ts';
import { createSpawner } from '../../../src/daemon/launch/spawn.ts';
import { logFiles } from '../../../src/daemon/output/files.ts';
import { createRestartRate } from '../../../src/daemon/process/restart-rate.ts';
import { AddressBook } from '../../../src/daemon/sockets/address-book.ts';
import { createGroupSockets } from '../../../src/daemon/sockets/create-group-sockets.ts';
import type { HealthView } from '../../../src/ipc/views.ts';
import { sendSignal } from '../../../src/os/terminate.ts';
import { mayHaveLeft, treeOf } from '../../../src/os/tree.ts';
import { realClock } from '../../../src/shared/clock.ts';
import { directoryForEach } from '../../helpers/directory.ts';
import { eventually } from '../../helpers/eventually.ts';
import { ask, freePort } from '../../helpers/http.ts';
import { fixture } from '../../helpers/launched.ts';
import { root } from '../../helpers/nsv.ts';
import { probe } from '../../helpers/probe.ts';

const at = directoryForEach();
let registry: Registry;
let server: HealthServer;
const quiet = () => {};

beforeEach(async () => {
  registry = new Registry();
  server = await startHealth({ port: 0, look: createHealthReport(registry, { isStopping: () => false }) });
});
afterEach(async () => {
  await Promise.all(registry.groups.map((group) => operations.remove(group, 'kill')));
  await server.close();
});

function group(settings: AppSettings): Group {
  const book = new AddressBook();
  const preload = join(root, 'dist', 'worker', 'preload.js');
  const added = new Group(parseAppSpec({ name: 'web', cwd: at(), env: { PATH: process.env.PATH }, ...settings }), {
    host: {
      clock: realClock,
      launcher: createSpawner({ preload: () => preload }),
      oomKills: { watch: () => {}, explain: () => undefined },
      portHolders: { of: () => undefined },
      runHook,
      restartRate: createRestartRate(realClock),
      turn: createStartThrottle(),
      breather: async () => {},
      signal: sendSignal,
      treeOf,
      mayHaveLeft,
    },
    replace: operations.replace,
    events: createEventBus(),
    streams: (spec, slot) => logFiles(spec, slot, at()),
    nextId: () => registry.nextId(),
    createSockets: ({ name, schedule, node }) => createGroupSockets({ group: name, schedule, node, book }),
  });
  registry.add(added);
  return added;
}

const node = (script: string, ...args: unknown[]): AppSettings => ({
  script,
  args: args.map((arg) => JSON.stringify(arg)),
  interpreter: process.execPath,
  node: true,
});

async function report(): Promise<HealthView & { code: number | undefined }> {
  const { code, text } = await probe(server.port, '/ready');
  return { code, ...(JSON.parse(text) as HealthView) };
}

describe('the readiness of real apps', () => {
  it('begins with listening and ends with a stop', async () => {
    expect(await report()).toEqual({ code: 503, status: 'unready', live: true, started: false, apps: [] });
    const web = group(node(fixture('web.cjs'), await freePort()));
    await operations.launch(web, true, quiet);
    expect(await report()).toMatchObject({ code: 200, status: 'ready' });
    await operations.stop(everything(web));
    expect(await report()).toMatchObject({ code: 503, apps: [{ status: 'stopped' }] });
  });

  it('is missing until a program is ready', async () => {
    const slow = group({ script: '/bin/sleep', args: ['1000'], waitReady: true });
    await operations.launch(slow, false, quiet);
    expect(await report()).toMatchObject({ code: 503, apps: [{ status: 'starting' }] });
  });

  it('lasts through a rolling reload', async () => {
    const web = group({ ...node(fixture('web.cjs'), await freePort()), instances: 2 });
    await operations.launch(web, true, quiet);
    const before = web.processes.map(({ child }) => child?.pid);
    let isOver = false;
    const reloaded = operations.reload(everything(web), {}, quiet).finally(() => {
      isOver = true;
    });
    const seen = new Set<string>();
    while (!isOver) seen.add((await report()).status);
    await reloaded;
    expect([...seen]).toEqual(['ready']);
    expect(web.processes.some(({ child }) => before.includes(child?.pid))).toBe(false);
  });

  it('is reported although the app is too busy to answer', async () => {
    const port = await freePort();
    const web = group({ ...node(fixture('blocks.cjs'), port), killTimeout: 100 });
    await operations.launch(web, true, quiet);
    const answer = ask(port);
    await eventually(() => readFileSync(at('web-0-out.log'), 'utf8') === 'blocked\n');
    expect(await report()).toMatchObject({ code: 200 });
    await operations.remove(web, 'kill');
    expect(await answer).toMatchObject({ ok: false });
  });

  it('needs no instance of a completed job, but one of every other app', async () => {
    const job = group({ name: 'job', script: '/bin/true', autorestart: false });
    await operations.launch(job, true, quiet);
    await eventually(() => job.processes[0]?.state.kind === 'stopped');
    expect(await report()).toMatchObject({ code: 503, apps: [{ status: 'completed' }] });
    await operations.launch(group(node(fixture('web.cjs'), await freePort())), true, quiet);
    expect(await report()).toMatchObject({ code: 200, status: 'ready' });
    const crashing = group({ name: 'crashing', script: '/bin/false', maxRestarts: 2 });
    await expect(operations.launch(crashing, true, quiet)).rejects.toMatchObject({ code: 'NOT_READY' });
    expect(await report()).toMatchObject({
      code: 503,
      apps: [{}, {}, { name: 'crashing', status: 'errored', restarts: 2, giveup: expect.stringContaining('gave up') }],
    });
  });
});
