// Programs that look for a free port, and what they find at the port of their own app.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { eventually } from '../../helpers/eventually.ts';
import { ask, freePort } from '../../helpers/http.ts';
import { homeForEach } from '../../helpers/nsv.ts';
import { variants } from '../../helpers/variants.ts';

const nsv = homeForEach();

/** As the packages of these names find out: by connecting, and by listening on one address after the other. */
const packages = {
  'is-port-reachable': `module.exports = (port) => new Promise((resolve) => {
    const socket = require('net').connect(port, 'localhost');
    socket.on('connect', () => { socket.destroy(); resolve(false); });
    socket.on('error', (error) => resolve(error.code === 'ECONNREFUSED'));
  });`,
  'detect-port': `module.exports = async (port) => {
    for (const host of [undefined, '0.0.0.0', '127.0.0.1', 'localhost']) {
      const server = require('net').createServer();
      const isFree = await new Promise((resolve) => {
        server.once('error', () => resolve(false));
        server.listen({ port, host }, () => server.close(() => resolve(server.address() === null)));
      });
      if (!isFree) return false;
    }
    return true;
  };`,
};

type Package = keyof typeof packages;

/** A server that listens on another port if it finds this one taken. */
function looksFor(port: number, name: Package): string {
  const directory = join(nsv.directory, 'node_modules', name);
  mkdirSync(directory, { recursive: true });
  writeFileSync(join(directory, 'index.js'), packages[name]);
  return nsv.script(
    'web.js',
    `require('${name}')(${port}).then((isFree) =>
      require('http').createServer((_, response) => response.end(String(process.pid))).listen(isFree ? ${port} : 0));`,
  );
}

const ports = async () => (await nsv.list()).map((process) => process.ports.join());

/** Kills the first process, and resolves with its pid when another one runs in its place. */
async function crash(): Promise<number> {
  const pid = (await nsv.list())[0]?.pid ?? 0;
  process.kill(pid, 'SIGKILL');
  await eventually(async () => ((await nsv.list())[0]?.pid ?? pid) !== pid);
  return pid;
}

const listening = () =>
  eventually(async () => (await nsv.list()).every(({ status, ports }) => status === 'online' && ports.length > 0));

variants<[Package]>([['is-port-reachable'], ['detect-port']], 2)(
  'an app that looks for its port by %s keeps it',
  async (name) => {
    const port = await freePort();
    await nsv.ok('start', looksFor(port, name), '-i', '2');
    const all = [String(port), String(port)];
    expect(await ports()).toEqual(all);
    for (const act of [['restart'], ['reload']]) {
      await nsv.ok(...act, 'web');
      expect(await ports()).toEqual(all);
    }
    await crash();
    await listening();
    expect(await ports()).toEqual(all);
  },
);

it('an app with one instance keeps its port as well', async () => {
  const port = await freePort();
  await nsv.ok('start', looksFor(port, 'is-port-reachable'));
  for (const act of [['restart'], ['reload'], ['stop'], ['start']]) await nsv.ok(...act, 'web');
  await crash();
  await listening();
  expect(await ports()).toEqual([String(port)]);
});

it('an app that looks for its port finds it taken by another app', async () => {
  const port = await freePort();
  await nsv.ok('start', nsv.script('other.js', `require('http').createServer().listen(${port});`));
  await nsv.ok('start', looksFor(port, 'is-port-reachable'), '-i', '2');
  for (const found of (await ports()).slice(1)) expect(found).not.toBe(String(port));
});

it('an instance that does not listen yet can connect to the others', async () => {
  const port = await freePort();
  const app = nsv.script(
    'web.js',
    `const listen = () => require('http').createServer((_, response) => response.end('hello')).listen(${port});
    const ask = () => fetch('http://localhost:${port}').then((response) => response.text()).then((text) => {
      console.log('others say ' + text);
      listen();
    }, () => setTimeout(ask, 20));
    if (process.env.NODE_APP_INSTANCE === '0') listen(); else ask();`,
  );
  await nsv.ok('start', app, '-i', '2');
  const said = async () => (await nsv.ok('logs', 'web', '--nostream', '--raw')).match(/others say hello/g)?.length;
  expect(await said()).toBe(1);
  await nsv.ok('restart', 'web');
  expect(await said()).toBe(2);
  await nsv.ok('reload', 'web');
  expect(await said()).toBe(3);
});

it('a single instance that connects to its own port before it listens is refused', async () => {
  const port = await freePort();
  const app = nsv.script(
    'web.js',
    `require('net').connect(${port}, '127.0.0.1').on('error', ({ message }) => {
      console.log(message);
      require('http').createServer((_, response) => response.end(String(process.pid))).listen(${port});
    });`,
  );
  await nsv.ok('start', app);
  await crash();
  await listening();
  const said = (await nsv.ok('logs', 'web', '--nostream', '--raw')).trim().split('\n');
  expect(said).toEqual(Array(2).fill(`connect ECONNREFUSED 127.0.0.1:${port}`));
});

/** Listens on one of the ports, in turn; from the start with the number `held` on only when there is a file "go". */
const movesBetween = (ports: number[], held: number) => `
  const fs = require('fs');
  fs.appendFileSync('starts', 'x');
  const count = fs.readFileSync('starts', 'utf8').length;
  const port = [${ports}][(count - 1) % ${ports.length}];
  const listen = () => require('http').createServer((_, response) => response.end('hello')).listen(port);
  const begin = () => (count < ${held} || fs.existsSync('go') ? listen() : setTimeout(begin, 20));
  begin();`;

it('nsv reports when an app moves to another port, and stops holding the socket of one that keeps moving', async () => {
  const [first, second] = [await freePort(), await freePort()];
  await nsv.runWith({ cwd: nsv.directory }, 'start', nsv.script('web.js', movesBetween([first, second], 4)));
  expect((await nsv.run('restart', 'web')).stderr).toContain(
    `web (instance 0) now listens on ${second}, before on ${first}`,
  );
  expect((await nsv.run('restart', 'web')).stderr).toContain(
    `web (instance 0) now listens on ${first}, before on ${second}`,
  );
  const pid = await crash();
  expect(await ask(first)).toEqual({ ok: false, why: 'ECONNREFUSED' });
  nsv.script('go', '');
  await eventually(async () => (await ask(second)).ok);
  expect(await nsv.ok('events', '--nostream')).toContain(
    `moved pid ${pid}, now listens on ${first}, before on ${second}`,
  );
});

it('nsv still holds the socket of an app that has moved once', async () => {
  const [first, second] = [await freePort(), await freePort()];
  await nsv.runWith({ cwd: nsv.directory }, 'start', nsv.script('web.js', movesBetween([first, second, second], 3)));
  await nsv.ok('restart', 'web');
  await crash();
  const answer = ask(second);
  nsv.script('go', '');
  expect(await answer).toMatchObject({ ok: true });
});
