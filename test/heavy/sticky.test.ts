// Socket.IO, whose clients poll: each poll of a session has to reach the process that knows the session.
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { freePort } from '../helpers/http.ts';
import { endNginx, hasNginx, nginxBefore } from '../helpers/nginx.ts';
import { homeForEach, type Ran, root } from '../helpers/nsv.ts';
import { installPackages } from '../helpers/packages.ts';
import { freePorts } from '../helpers/ports.ts';

const nsv = homeForEach();
endNginx();
const packages = await installPackages('socket.io@4', 'socket.io-client@4');

const library = JSON.stringify(join(root, 'dist', 'app', 'index.js'));
beforeEach(() => packages.missing === undefined && packages.link(nsv.directory));

const server = (port: number, atTheEnd = '') =>
  nsv.script(
    'web.cjs',
    `const server = require('http').createServer((_, response) => response.end());
    const io = new (require('socket.io').Server)(server);
    io.on('connection', (socket) => socket.on('who', (answer) => answer(process.env.NODE_APP_INSTANCE)));
    ${atTheEnd}
    server.listen(${port});`,
  );

interface Outcome {
  /** Why clients were disconnected, or could not connect. */
  losses: string[];
  /** The instances that have answered each client. */
  instances: string[][];
}

/** Twelve clients, each with an address of its own, that ask a hundred times. `reloading` runs when they have asked often. */
async function clients(port: number, reloading?: () => void): Promise<Outcome> {
  const script = nsv.script(
    'clients.cjs',
    `const { io } = require('socket.io-client');
    const { Agent } = require('http');
    const losses = [];
    const clients = Array.from({ length: 12 }, (_, index) => {
      const agent = new Agent({ localAddress: '127.0.2.' + (index + 1) });
      const socket = io('http://127.0.0.1:${port}', { transports: ['polling'], agent, reconnectionDelay: 20 });
      const client = { answers: 0, lost: 0, instances: new Set() };
      const ask = () => socket.emit('who', (instance) => {
        client.instances.add(instance);
        client.answers += 1;
        if (clients.every(({ answers }) => answers >= 50)) console.error('often');
        if (clients.every(({ answers }) => answers >= 100) && clients.every(({ lost }) => lost > 0 || !${Boolean(reloading)})) end();
        setTimeout(ask, 5);
      });
      socket.on('connect', ask);
      socket.on('disconnect', (why) => {
        client.lost += 1;
        losses.push(why);
      });
      socket.on('connect_error', ({ message }) => losses.push(message));
      return client;
    });
    function end() {
      console.log(JSON.stringify({ losses, instances: clients.map(({ instances }) => [...instances]) }));
      process.exit();
    }`,
  );
  const child = spawn(process.execPath, [script], { stdio: ['ignore', 'pipe', 'pipe'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  child.stderr.once('data', () => reloading?.());
  return JSON.parse(await text(child.stdout));
}

const [, shown = ''] = /```nginx\n(.*?)```/s.exec(readFileSync(join(root, 'docs/sticky.md'), 'utf8')) ?? [];

describe.skipIf(packages.missing)('Socket.IO clients that poll', () => {
  it('lose no session with --schedule sticky, and each stays on one process', async () => {
    const port = await freePort();
    await nsv.ok('start', server(port), '-i', '4', '--schedule', 'sticky');
    const { losses, instances } = await clients(port);
    expect(losses).toEqual([]);
    expect(instances.every(({ length }) => length === 1)).toBe(true);
    expect([...new Set(instances.flat())].toSorted()).toEqual([...'0123']);
  });

  it('lose their session once in a reload, which does not wait for polls that the app ends', async () => {
    const port = await freePort();
    const app = server(port, `require(${library}).shutdownSignal().addEventListener('abort', () => io.close());`);
    await nsv.ok('start', app, '-i', '4', '--schedule', 'sticky');
    const reloads: Promise<Ran>[] = [];
    const { losses, instances } = await clients(port, () => reloads.push(nsv.run('reload', 'web')));
    expect(await reloads[0]).toMatchObject({ code: 0, stderr: '' });
    expect(losses.toSorted()).toEqual(Array(12).fill(expect.stringMatching(/^transport (close|error)$/)));
    expect(instances.every(({ length }) => length === 1)).toBe(true);
  });

  it.skipIf(!hasNginx)('lose no session behind nginx with --listen-each, configured as in docs/sticky.md', async () => {
    const first = await freePorts(4);
    await nsv.ok('start', server(80), '-i', '4', '--listen-each', String(first));
    const front = await nginxBefore(
      shown.replace(/127\.0\.0\.1:300(\d)/g, (_, nth) => `127.0.0.1:${first + Number(nth) - 1}`),
      nsv.directory,
    );
    const { losses, instances } = await clients(front);
    expect(losses).toEqual([]);
    expect(instances.every(({ length }) => length === 1)).toBe(true);
    expect(new Set(instances.flat()).size).toBeGreaterThan(1);
  });
});
