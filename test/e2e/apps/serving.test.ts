// When a start says that an app is ready, and what it says of one that does not listen.
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { eventually } from '../../helpers/eventually.ts';
import { ask, freePort } from '../../helpers/http.ts';
import { homeForEach, root } from '../../helpers/nsv.ts';
import { variants } from '../../helpers/variants.ts';

const nsv = homeForEach();

/** As the modules of a large app do while they are being evaluated. */
const loads = (ms: number) => `for (const end = Date.now() + ${ms}; Date.now() < end; );\n`;
const listens = (port: number) =>
  `require('http').createServer((_, response) => response.end('hello')).listen(${port});\n`;

it('a server that takes long to load is ready once it listens', async () => {
  const port = await freePort();
  const app = nsv.script('web.js', loads(1_000) + listens(port));
  const { code, stdout } = await nsv.run('start', app);
  expect({ code, stdout }).toMatchObject({ code: 0, stdout: expect.stringMatching(/^web is ready on http:/) });
  expect((await ask(port)).ok).toBe(true);
});

variants([
  ['while it is being loaded', `${loads(700)}throw new Error('no database');`],
  ['after it has waited for something', `setTimeout(() => { throw new Error('no database'); }, 100);`],
])('a program that throws %s is never reported as ready', async (_, text) => {
  const { code, stdout, stderr } = await nsv.run('start', nsv.script('web.js', text), '--max-restarts', '1');
  expect({ code, stdout }).toEqual({ code: 6, stdout: '' });
  expect(stderr).toMatch(/^nsv: "web" did not start: Error: no database\n/);
});

it('a worker that does not listen is reported as running, not as ready', async () => {
  const app = nsv.script('worker.js', 'setInterval(() => {}, 1_000);');
  const started = await nsv.ok('start', app);
  expect(started).toMatch(/^worker is running without a port \(/);
  expect(started).toMatch(/ running /);
  expect(await nsv.list()).toMatchObject([{ status: 'online', silent: true }]);
  expect(await nsv.ok('show', 'worker')).toMatch(/status +running without a port/);
  expect(await nsv.ok('restart', 'worker')).toMatch(/^worker is running without a port \(/);
  expect(await nsv.ok('reload', 'worker')).toMatch(/^worker is running without a port \(/);
  expect(await nsv.list()).toMatchObject([{ status: 'online', silent: true }]);
  const compatible = { program: join(root, 'bin', 'pm2-compat') };
  expect((await nsv.runWith(compatible, 'list')).stdout).toMatch(/ online /);
});

it('start waits for a server that took long to listen the last time', async () => {
  const port = await freePort();
  const app = nsv.script(
    'slow.js',
    `const isThere = () => require('fs').existsSync(__dirname + '/database');
    const connect = () => { if (isThere()) setTimeout(() => { ${listens(port)} }, 700); else setTimeout(connect, 50); };
    connect();`,
  );
  expect(await nsv.ok('start', app)).toMatch(/^slow is running without a port \(/);
  nsv.script('database', '');
  await eventually(async () => (await nsv.list())[0]?.ports.length === 1);
  expect(await nsv.ok('list')).toMatch(/ online /);
  expect(await nsv.ok('restart', 'slow')).toMatch(/^slow is ready on http:/);
  await nsv.ok('stop', 'slow');
  expect(await nsv.ok('start', 'slow')).toMatch(/^slow is ready on http:/);
});

it('a server with several ports is ready once it listens on all of them', async () => {
  const [first, second, third] = [await freePort(), await freePort(), await freePort()];
  const app = nsv.script(
    'ports.js',
    `const { createServer } = require('http');
    createServer().listen(${first}, async () => {
      await require('fs/promises').readFile(__filename);
      ${loads(100)}
      createServer().listen(${third});
    });
    createServer().listen(${second});`,
  );
  const ports = [first, second, third].sort((a, b) => a - b).map(String);
  await nsv.ok('start', app);
  expect((await nsv.list())[0]?.ports.toSorted()).toEqual(ports.toSorted());
});

it('a Unix socket with the pid of the process in its name does not count as a port', async () => {
  const port = await freePort();
  const app = nsv.script(
    'piped.js',
    `require('net').createServer().listen(require('path').join(__dirname, process.pid + '.pipe'));
    setTimeout(() => { ${listens(port)} }, 300);`,
  );
  expect(await nsv.ok('start', app)).toMatch(/^piped is ready on http:/);
  expect(await nsv.list()).toMatchObject([{ ports: [String(port)] }]);
});

it('nsv-pm2 takes an app with wait_ready that never sends "ready" for ready once it listens, and says so', async () => {
  const port = await freePort();
  nsv.script('web.js', listens(port));
  const apps = [{ name: 'web', script: 'web.js', wait_ready: true, listen_timeout: 3_000 }];
  nsv.script('pm2.json', JSON.stringify({ apps }));
  const compatible = { program: join(root, 'bin', 'pm2-compat'), cwd: nsv.directory };
  const noted = /nsv: web: it did not send "ready" within --listen-timeout, but listens/;
  for (const words of [
    ['start', 'pm2.json'],
    ['reload', 'web'],
  ])
    expect(await nsv.runWith(compatible, ...words)).toMatchObject({ code: 0, stderr: expect.stringMatching(noted) });
  expect(await nsv.ok('list')).toContain('online, ready problem');
  nsv.script('web.js', `${listens(port)} process.send('ready');`);
  expect((await nsv.runWith(compatible, 'reload', 'web')).stderr).not.toMatch(noted);
  expect((await nsv.list())[0]?.problems).toBeUndefined();
});

it('start --wait-ready names the port of an app that listens but does not send "ready"', async () => {
  const port = await freePort();
  const app = nsv.script('web.js', listens(port));
  const stderr = await nsv.fails(6, 'start', app, '--wait-ready', '--listen-timeout', '3s');
  expect(stderr).toMatch(
    new RegExp(`^nsv: "web" .*: it listens on ${port}, but did not send "ready" within 3s, as --wait-ready requires\n`),
  );
  expect(stderr).toContain(
    "call process.send('ready') once it can serve (it gets no connections before), or start it without --wait-ready",
  );
});
