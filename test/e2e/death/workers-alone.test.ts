// What a Node process meets while no daemon is there, and what it has to tell the next one.
import { createSocket } from 'node:dgram';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { eventually } from '../../helpers/eventually.ts';
import { freePort, ask as request } from '../../helpers/http.ts';
import { homeForEach, isAlive } from '../../helpers/nsv.ts';

const nsv = homeForEach();

/** What it answers. */
async function ask(port: number, path = '/'): Promise<string> {
  const answer = await request(port, { path });
  if (!answer.ok) throw new Error(answer.why);
  return answer.body;
}

/** Each path of the app does something; what happens to it otherwise is in its output. */
const app = `
const http = require('http');
const [port, second] = process.argv.slice(2).map(Number);
process.on('disconnect', () => console.log('saw disconnect'));
process.on('message', (message) => console.log('saw message', message));
process.on('error', (error) => console.log('saw error', error.code));
const acts = {
  '/': () => String(process.pid),
  '/env': () => JSON.stringify(Object.keys(process.env).filter((name) => /^NSV_(MARK|DAEMON)$/.test(name))),
  '/state': () => JSON.stringify([process.connected, typeof process.send]),
  '/send': () => String(process.send('hello')),
  '/ready': () => String(process.send('ready')),
  '/second': () => { http.createServer((q, r) => r.end('second')).listen(second, () => console.log('second listens')); return ''; },
  '/throw': () => { setTimeout(() => { throw new Error('thrown alone'); }, 10); return ''; },
  '/disconnect': () => { process.disconnect(); return ''; },
};
http.createServer((q, r) => r.end(acts[q.url]())).listen(port);
`;

async function start(
  ...options: string[]
): Promise<{ port: number; second: number; pid: number; output: () => string }> {
  const script = nsv.script('app.js', app);
  const [port, second] = [await freePort(), await freePort()];
  await nsv.ok('start', script, '--name', 'web', ...options, '--', String(port), String(second));
  const [view] = await nsv.list();
  const { outFile, errorFile, pid } = view!;
  return {
    port,
    second,
    pid: pid!,
    output: () => [outFile, errorFile].map((file) => readFileSync(file!, 'utf8')).join(''),
  };
}

describe('a Node process whose daemon has died', () => {
  it('sees an open channel, and can send messages without an error', async () => {
    const { port, output, pid } = await start();
    await nsv.killDaemonAndGuard();
    expect(await ask(port, '/env')).toBe('[]');
    expect(await ask(port, '/state')).toBe('[true,"function"]');
    for (let sent = 0; sent < 300; sent += 1) await ask(port, '/send');
    const [view] = await nsv.list();
    expect(view?.pid).toBe(pid);
    await eventually(async () => (await nsv.list())[0]?.ports.length === 1);
    expect(await ask(port, '/send')).toBe('true');
    expect(output()).toBe('');
  });

  it.each(['while there is none', 'to one that dies before it has read it'])(
    'is ready for the next daemon if it sends "ready" %s',
    { tags: 'full' },
    async (when) => {
      const script = nsv.script(
        'late.js',
        `require('http').createServer().listen(+process.argv[2]);
        process.on('SIGUSR2', () => { process.send('ready'); require('fs').writeFileSync('${nsv.directory}/sent', ''); });`,
      );
      const port = await freePort();
      const waitsLong = ['--wait-ready', '--listen-timeout', '60s', '--no-wait'];
      await nsv.ok('start', script, '--name', 'web', ...waitsLong, '--', String(port));
      const { pid } = await eventually(async () => (await nsv.list()).find(({ ports }) => ports.length === 1));
      const sends = () => {
        process.kill(pid!, 'SIGUSR2');
        return eventually(() => existsSync(join(nsv.directory, 'sent')));
      };
      if (when === 'while there is none') {
        await nsv.killDaemonAndGuard();
        await sends();
      } else {
        process.kill(nsv.daemonPid!, 'SIGSTOP');
        await sends();
        await nsv.killDaemonAndGuard();
      }
      await eventually(async () => (await nsv.list())[0]?.status === 'online');
    },
  );

  it('gets a socket that it opens meanwhile from the next daemon', { tags: 'full' }, async () => {
    const { port, second, output } = await start();
    await nsv.killDaemonAndGuard();
    await ask(port, '/second');
    await nsv.list();
    await eventually(() => output().includes('second listens'));
    expect(await ask(second)).toBe('second');
    await eventually(async () => (await nsv.list())[0]?.ports.length === 2);
  });

  it('is replaced by the next daemon after an uncaught error', async () => {
    const { port, pid, output } = await start();
    await nsv.killDaemonAndGuard();
    await ask(port, '/throw');
    await eventually(() => output().includes('thrown alone'));
    const view = await eventually(async () =>
      (await nsv.list()).find((one) => one.status === 'online' && one.pid !== pid),
    );
    expect(view.restarts).toBe(1);
    expect(await ask(port)).toBe(String(view.pid));
  });

  it('can be stopped by the next daemon', async () => {
    const { pid } = await start();
    await nsv.killDaemonAndGuard();
    await nsv.ok('stop', 'web');
    expect(isAlive(pid)).toBe(false);
    expect(await nsv.list()).toMatchObject([{ status: 'stopped', restarts: 0 }]);
  });

  it('answers a connection that the dead daemon handed over, with --schedule rr', { tags: 'full' }, async () => {
    const { port, pid } = await start('--schedule', 'rr');
    process.kill(pid, 'SIGSTOP');
    const answer = ask(port);
    const isConnected = new RegExp(`:${port.toString(16).toUpperCase().padStart(4, '0')} \\S+ 01 `);
    await eventually(() =>
      ['tcp', 'tcp6'].some((table) => isConnected.test(readFileSync(`/proc/net/${table}`, 'utf8'))),
    );
    // The daemon has read it, and so has handed it over: it answers this after that.
    await nsv.list();
    await nsv.killDaemonAndGuard();
    process.kill(pid, 'SIGCONT');
    expect(await answer).toBe(String(pid));
    await nsv.list();
    const daemon = nsv.daemonPid;
    await eventually(async () => (await nsv.list())[0]?.ports.length === 1);
    await nsv.ok('reload', 'web');
    expect(nsv.daemonPid).toBe(daemon);
  });

  it('survives a second death of the daemon, and its own death is noticed', { tags: 'full' }, async () => {
    const { port, pid } = await start();
    for (let deaths = 0; deaths < 2; deaths += 1) {
      await nsv.killDaemonAndGuard();
      await eventually(async () => (await nsv.list())[0]?.ports.length === 1);
    }
    expect(await ask(port)).toBe(String(pid));
    process.kill(pid, 'SIGKILL');
    await eventually(async () => (await nsv.list())[0]?.restarts === 1);
    await eventually(async () => (await ask(port).catch(() => String(pid))) !== String(pid));
  });

  it('can still close its channel', { tags: 'full' }, async () => {
    const { port, pid, output } = await start();
    await nsv.killDaemonAndGuard();
    await nsv.list();
    await ask(port, '/disconnect');
    await eventually(() => output().includes('saw disconnect'));
    await nsv.ok('stop', 'web');
    expect(isAlive(pid)).toBe(false);
  });

  it('hands its UDP socket to the next daemon too', { tags: 'full' }, async () => {
    const script = nsv.script(
      'udp.js',
      `const s = require('dgram').createSocket('udp4'); s.on('message', (m, r) => s.send(String(process.pid), r.port, r.address)); s.bind(+process.argv[2], '127.0.0.1');`,
    );
    const port = await freePort();
    await nsv.ok('start', script, '--name', 'web', '--', String(port));
    await nsv.killDaemonAndGuard();
    await eventually(async () => (await nsv.list())[0]?.ports.length === 1);
    await nsv.ok('reload', 'web');
    const [view] = await nsv.list();
    const client = createSocket('udp4');
    const answer = new Promise<string>((resolve) => client.once('message', (text) => resolve(String(text))));
    client.send('x', port, '127.0.0.1');
    expect(await answer).toBe(String(view?.pid));
    client.close();
  });
});

describe('the next daemon', { tags: 'full' }, () => {
  it('rejects a process that it does not know', async () => {
    await start();
    await nsv.killDaemonAndGuard();
    await nsv.list();
    const net = await import('node:net');
    const socket = net.createConnection(join(nsv.home, 'workers.sock'));
    const closed = new Promise((resolve) => socket.on('close', resolve).on('error', () => {}));
    socket.write('{"cmd":"NODE_NSV","type":"reconnected","mark":"x","pid":1}\n');
    socket.resume();
    await closed;
    expect(await nsv.list()).toHaveLength(1);
  });
});
