// The daemon dies in the middle of what it does, in every way in which it can.
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { eventually } from '../../helpers/eventually.ts';
import { FallingDaemon, type Order } from '../../helpers/falling-daemon.ts';
import { homeForEach, leadersWith } from '../../helpers/nsv.ts';
import { variants } from '../../helpers/variants.ts';

const nsv = homeForEach();
const daemon = new FallingDaemon(nsv);
const sleeper = (name: string) => nsv.sleeper(name, '-i', '2', '--no-wait');

/** What really runs of an app. */
const running = (app: string) => leadersWith(`NSV_APP=${app}`, `NSV_HOME=${nsv.home}`);

/** Resolves with what is known of the app once that is what runs of it. */
function settled(app: string) {
  return eventually(async () => {
    const views = (await nsv.list()).filter(({ name }) => name === app);
    const isQuiet = views.every(({ status }) => status === 'online');
    const known = views.map(({ pid }) => pid);
    return isQuiet && String(known.sort()) === String(running(app).sort()) && views;
  });
}

const killed = (order: Omit<Order, 'how'>): Order => ({ ...order, how: 'kill' });

const moments: [title: string, order: Order, command: string[]][] = [
  ['saves, before it writes', killed({ call: 'open', word: 'saved.json' }), ['save']],
  ['saves, before the new list has its name', killed({ call: 'rename', word: 'saved.json' }), ['save']],
  ['saves, when it has', killed({ call: 'rename', word: 'saved.json', after: true }), ['save']],
  ['rotates, before it begins', killed({ call: 'spawn', word: 'rotator' }), ['logs', 'rotate', 'kept']],
  [
    'rotates, when that is under way',
    killed({ call: 'spawn', word: 'rotator', after: true }),
    ['logs', 'rotate', 'kept'],
  ],
  ['reloads, before it starts a process', killed({ call: 'spawn', word: 'sleep' }), ['reload', 'other']],
  ['reloads, when it has', killed({ call: 'spawn', word: 'sleep', after: true }), ['reload', 'other']],
  ['scales', killed({ call: 'spawn', word: 'sleep', after: true }), ['scale', 'other', '4']],
  ['throws in a handler', { call: 'spawn', word: 'sleep', how: 'throw' }, ['scale', 'other', '4']],
  [
    'has a promise rejected that nobody waits for',
    { call: 'spawn', word: 'sleep', how: 'reject' },
    ['scale', 'other', '4'],
  ],
  ['has no memory left', { call: 'spawn', word: 'sleep', how: 'exhaust' }, ['scale', 'other', '4']],
];

describe('a daemon that crashes', () => {
  variants(moments)('leaves all apps as they are when it %s', async (_title, order, command) => {
    await daemon.launch('--max-old-space-size=40');
    await sleeper('kept');
    await sleeper('other');
    const before = await nsv.list('kept');
    const dead = nsv.daemonPid;
    daemon.command(order);
    await nsv.run(...command);
    await eventually(() => daemon.hasFallen && nsv.daemonPid !== dead && nsv.log().includes('adopted the apps'));
    const after = await settled('kept');
    expect(after.map(({ id, pid, restarts }) => [id, pid, restarts])).toEqual(
      before.map(({ id, pid, restarts }) => [id, pid, restarts]),
    );
    const others = await settled('other');
    expect(others.map(({ restarts }) => restarts)).toEqual(others.map(() => 0));
    expect(['2', '4']).toContain(String(others.length));
    if (order.how === 'exhaust') expect(nsv.log()).toContain('the daemon died (exit code 134)');
    if (order.how === 'throw')
      expect(nsv.log()).toContain('uncaught exception: the daemon exits, the apps keep running');
    if (order.how === 'reject')
      expect(nsv.log()).toContain('unhandled rejection: the daemon exits, the apps keep running');
  });

  variants([
    ['claims the home', killed({ call: 'rename', word: 'daemon.pid' })],
    ['reads the state', killed({ call: 'read', word: 'state.json' })],
    ['is about to hear from processes', killed({ call: 'listen', word: 'workers.sock' })],
    ['is about to serve', killed({ call: 'listen', word: 'daemon.sock' })],
    ['does', killed({ call: 'listen', word: 'daemon.sock', after: true })],
    ['throws', { call: 'listen', word: 'daemon.sock', how: 'throw' } satisfies Order],
  ] as [string, Order][])('is succeeded by another if it crashes while taking over: %s', async (_title, order) => {
    await daemon.launch();
    await nsv.ok('start', nsv.script('kept.js', 'setInterval(() => {}, 1e6);'), '-i', '2', '--no-wait');
    const before = await nsv.list('kept');
    daemon.command(order);
    await nsv.killDaemon();
    await eventually(() => daemon.hasFallen);
    const after = await settled('kept');
    expect(after.map(({ id, pid, restarts }) => [id, pid, restarts])).toEqual(
      before.map(({ id, pid, restarts }) => [id, pid, restarts]),
    );
    expect(nsv.log().split('the guard starts a new one')).toHaveLength(3);
  });
});

describe('a daemon that dies while it starts its first process, and whose state is gone', { tags: 'full' }, () => {
  it('leaves no process that "nsv kill" does not stop', async () => {
    await daemon.launch();
    nsv.killGuard();
    daemon.command(killed({ call: 'spawn', word: 'sleep', after: true }));
    await nsv.run('start', '/bin/sleep', '--name', 'first', '--', '600');
    expect(daemon.hasFallen).toBe(true);
    for (const name of ['state.json', 'state.json.1']) rmSync(join(nsv.home, name), { force: true });
    expect(running('first')).toHaveLength(1);
    await nsv.ok('kill');
    expect(running('first')).toEqual([]);
  });
});

describe('the state of three hundred processes that all end at once', { tags: 'full' }, () => {
  it('is written a few times, not three hundred', async () => {
    await daemon.launch();
    const options = ['-i', '300', '--no-wait', '--max-restarts', 'unlimited'];
    await nsv.sleeper('many', ...options);
    const pids = (await nsv.list()).map(({ pid }) => pid!);
    const before = daemon.writesOf('state.json');
    const begin = performance.now();
    for (const pid of pids) process.kill(pid, 'SIGKILL');
    await eventually(() => nsv.log().split('"msg":"start"').length === 601);
    // Answered when all is written.
    await nsv.ok('reset', 'many');
    const writes = daemon.writesOf('state.json') - before;
    expect(writes).toBeGreaterThan(0);
    expect(writes).toBeLessThanOrEqual(2 + (performance.now() - begin) / 250);
    expect(writes).toBeLessThan(100);
  });
});
