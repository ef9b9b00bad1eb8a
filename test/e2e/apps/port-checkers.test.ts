// Programs that look for a free port, and what they find at the port of their own app.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { eventually } from '../../helpers/eventually.ts';
import { ask, freePort } from '../../helpers/http.ts';
import { homeForEach } from '../../helpers/nsv.ts';
import { PassersBy } from '../../helpers/passers-by.ts';
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

/** Listens on each host for a moment to see whether the port is free, as Vite does; then on 127.0.0.1 there, or elsewhere. */
const tests = (port: number, hosts: readonly string[]) => `
  const net = require('net');
  const isFree = (host) => new Promise((resolve) => {
    const server = net.createServer();
    server.once('error', () => resolve(false));
    server.listen(${port}, host, () => server.close(() => resolve(true)));
  });
  (async () => {
    let port = ${port};
    for (const host of ${JSON.stringify(hosts)}) if (!(await isFree(host))) port = 0;
    // While the program goes on loading, clients would find nobody.
    await new Promise((resolve) => setTimeout(resolve, 200));
    require('http').createServer((_, response) => response.end(String(process.pid))).listen(port, '127.0.0.1');
  })();`;

describe('an app that tests its port by listening', () => {
  variants<[hosts: string[], instances: string]>([
    [['0.0.0.0', '::', '127.0.0.1'], '1'],
    [['0.0.0.0', '::', '127.0.0.1'], '2'],
    [['127.0.0.1'], '1'],
    [['::'], '1'],
  ])('loses no request and keeps its port: %j, -i %s', async (hosts, instances) => {
    const port = await freePort();
    await nsv.ok('start', nsv.script('web.js', tests(port, hosts)), '-i', instances);
    await eventually(async () => (await ask(port)).ok);
    const visitors = new PassersBy({ port, host: '127.0.0.1' });
    for (const act of [['restart'], ['reload']]) await nsv.ok(...act, 'web');
    const { answered } = visitors;
    await eventually(() => visitors.answered > answered + 20);
    expect(await visitors.leave()).toEqual([]);
    expect(await ports()).toEqual(Array(Number(instances)).fill(`127.0.0.1:${port}`));
  });

  it('is waited for after a crash', { tags: 'full' }, async () => {
    const port = await freePort();
    await nsv.ok('start', nsv.script('web.js', tests(port, ['0.0.0.0'])));
    await eventually(async () => (await ask(port)).ok);
    await crash();
    expect(await ask(port)).toMatchObject({ ok: true });
  });

  it('leaves the port to a program that it starts there', async () => {
    const port = await freePort();
    const server = nsv.script(
      'server.js',
      `require('http').createServer((_, answer) => answer.end('ok')).listen(${port});`,
    );
    const app = nsv.script(
      'web.js',
      `const server = require('net').createServer().listen(${port}, () => server.close(() =>
        require('child_process').spawn(process.execPath, ['${server}'], { stdio: 'inherit' })));`,
    );
    await nsv.ok('start', app);
    for (const act of ['restart', 'restart']) {
      await eventually(async () => (await ask(port)).ok);
      await nsv.ok(act, 'web');
    }
    await eventually(async () => (await ask(port)).ok);
  });
});

it('an app cannot listen where another process of it listens on a part of the address', async () => {
  const port = await freePort();
  const app = nsv.script(
    'web.js',
    `const host = process.env.NODE_APP_INSTANCE === '0' ? '127.0.0.1' : '0.0.0.0';
    const server = require('http').createServer((_, response) => response.end('hello'));
    server.on('error', ({ message }) => console.log(message)).listen(${port}, host);
    setInterval(() => {}, 1000);`,
  );
  await nsv.run('start', app, '-i', '2');
  const said = () => nsv.ok('logs', 'web', '--nostream', '--raw');
  // Whichever comes second.
  await eventually(async () => /listen EADDRINUSE: address already in use (127|0)\.0\.0\.[01]:/.test(await said()));
});
