// What an app writes to its IPC channel, by mistake or on purpose: it costs that process its channel, and nobody else
// anything.
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { eventually } from '../../helpers/eventually.ts';
import { Foreground } from '../../helpers/foreground.ts';
import { freePort } from '../../helpers/http.ts';
import { fixture, hello, homeForEach, isAlive } from '../../helpers/nsv.ts';
import { variants } from '../../helpers/variants.ts';
import { request, Visitors } from '../../helpers/visitors.ts';

const nsv = homeForEach();
interface Hostile {
  port: number;
  pid: number;
  daemon: number;
  /** Resolves when the app has written it, or cannot write any more of it. */
  write(text: string, times?: number): Promise<string>;
  output(): string;
}

async function start(): Promise<Hostile> {
  const port = await freePort();
  await nsv.ok('start', fixture('writes-channel.cjs'), '--name', 'web', '--', String(port));
  const [view] = await nsv.list();
  return {
    port,
    pid: view!.pid!,
    daemon: nsv.daemonPid!,
    write: (text, times = 1) => request({ port, path: `/?times=${times}`, body: text }),
    output: () => readFileSync(view!.errorFile!, 'utf8'),
  };
}

const nsvMessage = (fields: object) => `${JSON.stringify({ cmd: 'NODE_NSV', ...fields })}\n`;
const deep = (levels: number) => `{"type":"x","data":${'['.repeat(levels)}${']'.repeat(levels)}}\n`;

describe('a process that writes to its IPC channel', () => {
  variants([
    ['what is not JSON', 'hello\n', 1],
    ['is longer than', 'x'.repeat(65_536), 100],
    ['malformed message "in-flight"', nsvMessage({ type: 'in-flight', count: 'many' }), 1],
    ['malformed message "bind"', nsvMessage({ type: 'bind', seq: 1, address: null }), 1],
    ['unknown type', nsvMessage({ type: '__proto__' }), 1],
    ['levels of nesting', deep(10_000), 1],
  ])('loses the channel, keeps serving, and can be reloaded: %s', async (reason, text, times) => {
    const { port, pid, daemon, write, output } = await start();
    await write(text, times);
    await eventually(() => output().includes('the daemon has closed the IPC channel'));
    expect(output()).toContain(reason);
    const [line] = await eventually(() => /^.*channel-closed.*\}$/m.exec(nsv.log()));
    expect(JSON.parse(line)).toMatchObject({ app: 'web', slot: 0, pid, reason: expect.stringContaining(reason) });
    expect(await request({ port })).toBe(String(pid));
    expect(nsv.daemonPid).toBe(daemon);
    expect(await nsv.list()).toMatchObject([{ pid, status: 'online', restarts: 0 }]);

    await nsv.ok('reload', 'web');
    expect(isAlive(pid)).toBe(false);
    const [{ pid: next } = { pid: null }] = await nsv.list();
    expect(await request({ port })).toBe(String(next));
    expect(nsv.daemonPid).toBe(daemon);
    expect(nsv.log()).not.toContain('"level":60');
  });

  it.each([
    ['a receipt for nothing', '{"cmd":"NODE_HANDLE_ACK"}\n'],
    ['a refusal of nothing', '{"cmd":"NODE_HANDLE_NACK"}\n'],
    ['messages of a cluster', '{"cmd":"NODE_CLUSTER","act":"listening","ack":1}\n'],
    ['a question about connections', '{"cmd":"NODE_SOCKET_NOTIFY_CLOSE","key":"__proto__"}\n'],
    ['nothing', 'null\n1\n"x"\n[]\n{}\n\n'],
    ['a message of the app', '{"type":{"a":1}}\n{"type":"x"}\n'],
  ])('keeps the channel after messages that would break Node itself: %s', { tags: 'full' }, async (_what, text) => {
    const { pid, daemon, write, output } = await start();
    await write(text, 3);
    await nsv.ok('reload', 'web');
    await eventually(() => !isAlive(pid));
    expect(output()).toBe('');
    expect(nsv.daemonPid).toBe(daemon);
    expect(nsv.log()).not.toContain('channel-closed');
  });

  it('gets an answer, as from Node, if it announces a handle and sends none', { tags: 'full' }, async () => {
    const { daemon, write, output } = await start();
    await write('{"cmd":"NODE_HANDLE","type":"net.Nothing","msg":1}\n').catch(() => {});
    // Its own Node fails on the answer, because it has not sent anything.
    await eventually(() => output().includes('ERR_INTERNAL_ASSERTION'));
    await eventually(async () => (await nsv.list())[0]?.restarts === 1);
    expect(nsv.daemonPid).toBe(daemon);
  });

  it('cannot corrupt the state: the next daemon knows every app', { tags: 'full' }, async () => {
    const { pid, write } = await start();
    await nsv.sleeper('other');
    await write(nsvMessage({ type: 'in-flight', count: 'many' }) + nsvMessage({ type: 'request-limit', requests: {} }));
    await eventually(() => nsv.log().includes('channel-closed'));
    const stopping = nsv.run('stop', 'web');
    await stopping;
    await nsv.ok('start', 'web');
    await nsv.killDaemonAndGuard();
    expect((await nsv.list()).map(({ name, status }) => [name, status])).toEqual([
      ['web', 'online'],
      ['other', 'online'],
    ]);
    expect(isAlive(pid)).toBe(false);
  });

  it('has no channel to the next daemon either, which stops it by signal', { tags: 'full' }, async () => {
    const { port, pid, write } = await start();
    await write('hello\n');
    await eventually(() => nsv.log().includes('channel-closed'));
    await nsv.killDaemonAndGuard();
    expect(await nsv.list()).toMatchObject([{ pid, status: 'online' }]);
    const daemon = nsv.daemonPid;
    expect(await request({ port })).toBe(String(pid));
    await nsv.ok('stop', 'web');
    expect(isAlive(pid)).toBe(false);
    expect(nsv.daemonPid).toBe(daemon);
  });

  it('loses its channel to a daemon that has adopted it too, and does not reconnect', { tags: 'full' }, async () => {
    const { pid, write, output } = await start();
    await nsv.killDaemonAndGuard();
    await nsv.list();
    const daemon = nsv.daemonPid;
    await eventually(async () => (await nsv.list())[0]?.ports.length === 1);
    await write('hello\n');
    await eventually(() => output().includes('the daemon has closed the IPC channel'));
    await nsv.ok('stop', 'web');
    expect(isAlive(pid)).toBe(false);
    expect(nsv.daemonPid).toBe(daemon);
    expect(nsv.log().match(/"channel-closed"/g)).toHaveLength(1);
  });

  it.each([
    ['messages for who follows the events', '{"type":"x"}\n'.repeat(5_000), 100],
    ['messages of nsv', nsvMessage({ type: 'draining' }).repeat(1_500), 200],
    [
      'requests for sockets',
      nsvMessage({ type: 'bind', seq: 1, address: { kind: 'tcp', port: 0, index: 0 } }).repeat(500),
      20,
    ],
  ])(
    'neither blocks the daemon nor fills its memory by writing without a pause: %s',
    { tags: 'full' },
    async (_what, text, times) => {
      const port = await freePort();
      await nsv.ok('start', hello, '--name', 'good', '-i', '2', '--', String(port));
      const { daemon, write } = await start();
      const following = new Foreground(nsv, ['good', '--json'], { command: 'events' });
      const before = memoryOf(daemon);
      const visitors = new Visitors(4, { port });
      const writing = write(text, times).catch(String);
      for (let turn = 0; turn < 3; turn += 1) await nsv.ok('reload', 'good');
      await nsv.ok('stop', 'web');
      await writing;
      following.sends('SIGKILL');
      await following.ended;
      expect(await visitors.leave()).toEqual([]);
      expect(nsv.daemonPid).toBe(daemon);
      expect(memoryOf(daemon) - before).toBeLessThan(64 * 1024);
    },
  );
});

/** In KB. */
function memoryOf(pid: number): number {
  return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]);
}
