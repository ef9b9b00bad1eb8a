// The keeper of the `--listen` sockets of programs that are not Node: it hands them over to the next daemon.
import { existsSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { AppView } from '../../../src/ipc/views.ts';
import { eventually } from '../../helpers/eventually.ts';
import { freePort } from '../../helpers/http.ts';
import { homeForEach, isAlive, processesWith } from '../../helpers/nsv.ts';
import { works } from '../../helpers/program.ts';
import { variants } from '../../helpers/variants.ts';

const nsv = homeForEach();

/**
 * Started as any other program: nsv loads nothing into it. Says its pid on every connection. When it is asked to exit, it answers those
 * that it has accepted: no one else could.
 */
function server(): string {
  const file = nsv.script(
    'server.cjs',
    `const { createServer } = require('node:net');
    const servers = [];
    for (let fd = 3; fd < 3 + Number(process.env.LISTEN_FDS); fd += 1)
      servers.push(createServer((socket) => socket.end(String(process.pid))).listen({ fd }));
    process.on('SIGTERM', () => servers.forEach((server) => server.close()));
    `,
  );
  return nsv.script('server.sh', `#!/bin/sh\nexec "${process.execPath}" "${file}"\n`);
}

/** Ends with the connection after the signal. Its accept blocks, as most programs' do: a descriptor that were made non-blocking meanwhile would end it. */
const blocking = () =>
  nsv.script(
    'blocking.py',
    `import os, signal, socket, threading
isStopping = False
def stop(*_):
    global isStopping
    isStopping = True
signal.signal(signal.SIGTERM, stop)
listening = socket.socket(fileno=3)
listening.settimeout(None)
def serve(connection):
    connection.sendall(str(os.getpid()).encode())
    connection.close()
while not isStopping:
    connection, _ = listening.accept()
    threading.Thread(target=serve, args=(connection,)).start()
`,
  );

const hasPython = await works('python3', '--version');
if (!hasPython) console.warn('skipped: there is no python3');

const start = (script: string, port: number, ...options: string[]) =>
  nsv.ok('start', script, '--name', 'one', '--listen', String(port), ...options);
const startOther = (script: string, port: number) => nsv.ok('start', script, '--name', 'two', '--listen', String(port));
const sockets = async (app = 'one') => (JSON.parse(await nsv.ok('show', app, '--json')) as AppView[])[0]?.sockets;

/** What the server says; rejects as the connection does. */
function ask(where: number | string): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = '';
    const socket = typeof where === 'number' ? connect(where, '127.0.0.1') : connect(where);
    socket.setEncoding('utf8').on('data', (part) => (text += part));
    socket.on('error', reject).on('end', () => (text ? resolve(text) : reject(new Error('no answer'))));
  });
}

const isRefused = (where: number | string) =>
  ask(where).then(
    () => false,
    (error: NodeJS.ErrnoException) => ['ECONNREFUSED', 'ENOENT'].includes(error.code ?? ''),
  );

/** Clients that connect again and again until `stop`, which resolves with their failures. */
function load(port: number) {
  let isOver = false;
  const failures: string[] = [];
  const client = async () => {
    for (let count = 0; ; count += 1) {
      if (isOver) return count;
      await ask(port).catch((error: Error) => failures.push(error.message));
    }
  };
  const clients = Array.from({ length: 4 }, client);
  return async () => {
    isOver = true;
    const counts = await Promise.all(clients);
    return { failures, asked: counts.reduce((sum, count) => sum + count, 0) };
  };
}

describe('after the death of the daemon', () => {
  variants(['reload', 'restart'])('%s and scale work at once, with the same sockets', async (command) => {
    const port = await freePort();
    const path = join(nsv.directory, 'one.sock');
    await start(server(), port, '--listen', path);
    const [before] = await nsv.list();
    await nsv.killDaemonAndGuard();
    await nsv.ok(command, 'one');
    const [after] = await nsv.list();
    expect(after?.pid).not.toBe(before?.pid);
    expect([await ask(port), await ask(path)]).toEqual([String(after?.pid), String(after?.pid)]);
    await nsv.ok('scale', 'one', '2');
    expect(await sockets()).toEqual([String(port), path]);
    const pids = (await nsv.list()).map(({ pid }) => String(pid)).sort();
    const answering = new Set<string>();
    await eventually(async () => answering.add(await ask(port)).size === 2);
    expect([...answering].sort()).toEqual(pids);
  });

  it.skipIf(!hasPython)(
    'no connection to a program that blocks in accept is lost, twenty times in a row',
    { tags: 'full' },
    async () => {
      const port = await freePort();
      await start(blocking(), port, '-i', '2');
      const stop = load(port);
      for (let deaths = 0; deaths < 20; deaths += 1) {
        await nsv.killDaemon();
        // The next one may not have all sockets yet.
        if (deaths % 3 === 1) await nsv.replaceDaemon().catch(() => {});
        if (deaths % 5 === 0) await nsv.ok('reload', 'one');
        if (deaths % 5 === 1) await nsv.ok('scale', 'one', String(2 + (deaths % 2)));
        if (deaths % 5 > 1) await nsv.ok('list');
      }
      const { failures, asked } = await stop();
      expect(failures).toEqual([]);
      expect(asked).toBeGreaterThan(20);
      expect((await nsv.list()).every(({ status, restarts }) => status === 'online' && restarts === 0)).toBe(true);
    },
  );

  it('a process that ends is restarted while the others keep running', { tags: 'full' }, async () => {
    const port = await freePort();
    await start(server(), port, '-i', '2');
    const [first, second] = await nsv.list();
    await nsv.killDaemonAndGuard();
    process.kill(first!.pid!, 'SIGKILL');
    await eventually(async () => (await nsv.list())[0]?.status === 'online' && (await nsv.list())[0]?.restarts === 1);
    expect(await nsv.list()).toMatchObject([{ restarts: 1 }, { pid: second?.pid, restarts: 0 }]);
    expect(await sockets()).toEqual([String(port)]);
  });

  it('all apps get their sockets back, and clients of a stopped app are refused', { tags: 'full' }, async () => {
    const [port, other] = [await freePort(), await freePort()];
    await start(server(), port);
    await startOther(server(), other);
    await nsv.killDaemonAndGuard();
    await nsv.ok('stop', 'one');
    expect(await isRefused(port)).toBe(true);
    await nsv.ok('reload', 'two');
    expect(await sockets('two')).toEqual([String(other)]);
    expect(await ask(other)).toBe(String((await nsv.list('two'))[0]?.pid));
  });

  it('the sockets of an app are closed soon after its last process if no daemon follows', {
    tags: 'full',
  }, async () => {
    const [port, other] = [await freePort(), await freePort()];
    await start(server(), port);
    await startOther(server(), other);
    const [one, two] = await nsv.list();
    await nsv.killDaemonAndGuard();
    process.kill(one!.pid!, 'SIGKILL');
    await eventually(() => isRefused(port));
    expect([nsv.keepers.length, await ask(other)]).toEqual([1, String(two?.pid)]);
    process.kill(two!.pid!, 'SIGKILL');
    await eventually(() => nsv.keepers.length === 0);
    await eventually(() => isRefused(other));
  });
});

describe('the keeper', () => {
  it('is shared by all apps with --listen that are not Node; other apps need none', {
    tags: 'full',
  }, async () => {
    await start(server(), await freePort(), '--listen', String(await freePort()), '-i', '2');
    await startOther(server(), await freePort());
    expect(nsv.keepers.length).toBe(1);
    await nsv.ok('delete', 'one');
    expect(nsv.keepers.length).toBe(1);
    await nsv.ok('delete', 'two');
    expect(nsv.keepers).toEqual([]);
    await nsv.sleeper('one');
    const app = nsv.script('node.cjs', 'setInterval(() => {}, 1e6)');
    await nsv.ok('start', app, '--name', 'two', '--listen', String(await freePort()));
    expect(nsv.keepers).toEqual([]);
  });

  variants([
    ['stop', 'runs'],
    ['delete', 'runs'],
    ['kill', 'runs'],
    ['stop', 'has died'],
    ['delete', 'has died'],
    ['kill', 'has died'],
  ])('has exited and closed the port when %s returns, if the daemon %s', async (command, daemon) => {
    const port = await freePort();
    await start(server(), port);
    if (daemon === 'has died') await nsv.killDaemonAndGuard();
    await nsv.ok(...(command === 'kill' ? [command] : [command, 'one']));
    expect(nsv.keepers).toEqual([]);
    expect(await isRefused(port)).toBe(true);
  });

  it('exits when nsv gives up on the app', { tags: 'full' }, async () => {
    const port = await freePort();
    const script = nsv.script('fails', '#!/bin/sh\nsleep 0.2\nexit 1\n');
    const limits = ['--max-restarts', '1'];
    await nsv.run('start', script, '--name', 'one', '--listen', String(port), ...limits);
    await eventually(async () => (await nsv.list())[0]?.status === 'errored');
    await eventually(() => nsv.keepers.length === 0);
    await eventually(() => isRefused(port));
  });

  it('is replaced if it is killed', { tags: 'full' }, async () => {
    const port = await freePort();
    await start(server(), port);
    const [keeper] = nsv.keepers;
    process.kill(keeper!, 'SIGKILL');
    // Looks once at a time: the one that was killed may be gone at a second look.
    await eventually(() => nsv.keepers.find((pid) => pid !== keeper));
    await nsv.ok('reset', 'one');
    await nsv.killDaemonAndGuard();
    await nsv.ok('reload', 'one');
    expect(await sockets()).toEqual([String(port)]);
  });

  it('loses no connection when it and its daemon are killed repeatedly', { tags: 'full' }, async () => {
    const port = await freePort();
    await start(server(), port, '-i', '2');
    const stop = load(port);
    for (let deaths = 0; deaths < 4; deaths += 1) {
      const [keeper] = await eventually(() => nsv.keepers.length === 1 && nsv.keepers);
      process.kill(keeper!, 'SIGKILL');
      await eventually(() => nsv.keepers.find((pid) => pid !== keeper));
      await nsv.ok('reset', 'one');
      await nsv.killDaemonAndGuard();
      await nsv.ok('reload', 'one');
    }
    expect((await stop()).failures).toEqual([]);
    expect(await sockets()).toEqual([String(port)]);
  });

  it('loses no connection if it is suspended when its daemon dies: the processes keep serving', {
    tags: 'full',
  }, async () => {
    const port = await freePort();
    await start(server(), port, '-i', '2');
    const stop = load(port);
    const [keeper] = nsv.keepers;
    process.kill(keeper!, 'SIGSTOP');
    await nsv.killDaemonAndGuard();
    const { code, stderr } = await nsv.run('reload', 'one');
    expect(stderr).toContain('only the running processes still have the sockets of --listen');
    expect(code).toBe(6);
    expect(isAlive(keeper!)).toBe(false);
    expect((await stop()).failures).toEqual([]);
    await nsv.ok('stop', 'one');
    await nsv.ok('start', 'one');
    expect([await sockets(), nsv.keepers.length]).toEqual([[String(port)], 1]);
  });

  it('is replaced by the keeper of the next daemon on an update', { tags: 'full' }, async () => {
    const port = await freePort();
    await start(server(), port);
    const before = nsv.keepers;
    await nsv.ok('update');
    await eventually(() => nsv.keepers.length === 1);
    expect(nsv.keepers).not.toEqual(before);
    await nsv.killDaemonAndGuard();
    await nsv.ok('reload', 'one');
    await nsv.ok('stop', 'one');
    expect([nsv.keepers, await isRefused(port)]).toEqual([[], true]);
  });

  it('starts no process of its app, and leaves nothing in the home', { tags: 'full' }, async () => {
    const port = await freePort();
    await start(server(), port);
    await nsv.replaceDaemon();
    await nsv.ok('reload', 'one');
    await nsv.ok('delete', 'one');
    expect(existsSync(join(nsv.home, 'keepers'))).toBe(false);
    expect(processesWith('NSV_APP=one', `NSV_HOME=${nsv.home}`)).toEqual([]);
  });
});
