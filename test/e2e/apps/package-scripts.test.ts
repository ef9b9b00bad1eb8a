// Apps that are started by a script of package.json or by a program in node_modules/.bin. The package is a local one.
import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { eventually } from '../../helpers/eventually.ts';
import { ask, freePort } from '../../helpers/http.ts';
import { homeForEach, root } from '../../helpers/nsv.ts';
import { reloaded } from '../../helpers/under-way.ts';
import { variants } from '../../helpers/variants.ts';

const nsv = homeForEach();

const server = `#!/usr/bin/env node
const { env } = process;
const about = () => [process.cwd(), env.npm_lifecycle_event, env.npm_package_version, env.GREETING, env.PATH.split(':')[0]];
require('http')
  .createServer((request, response) => {
    const body = request.url === '/about' ? about().join('\\n') : String(process.pid);
    setTimeout(() => response.end(body), 20);
  })
  .listen(+process.argv[2]);
`;

/** A package whose scripts serve at the port. */
function shop(port: number): string {
  const directory = join(nsv.directory, 'shop');
  const bins = join(directory, 'node_modules', '.bin');
  mkdirSync(bins, { recursive: true });
  mkdirSync(join(directory, 'node_modules', 'served'));
  writeFileSync(join(directory, 'server.js'), server);
  writeFileSync(join(directory, 'node_modules', 'served', 'cli.js'), server, { mode: 0o755 });
  symlinkSync('../served/cli.js', join(bins, 'served'));
  const scripts = {
    start: `GREETING=hello node server.js ${port}`,
    bin: `served ${port}`,
    shell: `node server.js ${port} | cat`,
  };
  writeFileSync(join(directory, 'package.json'), JSON.stringify({ name: '@acme/shop', version: '1.2.3', scripts }));
  return directory;
}

variants([
  ['npm', '--', 'start'],
  ['npm run bin'],
  ['.'],
  ['yarn start'],
  ['pnpm run start'],
  ['package.json'],
  ['npx', '--', 'served', 'PORT'],
  ['node_modules/.bin/served', '--', 'PORT'],
])('a reload of two instances loses no request: %j', async (...words) => {
  const port = await freePort();
  const cwd = shop(port);
  const typed = words.map((word) => word.replace('PORT', String(port)));
  const { code, stderr } = await nsv.runWith({ cwd }, 'start', '--name', 'web', '-i', '2', ...typed);
  expect({ code, stderr }).toMatchObject({ code: 0, stderr: expect.stringMatching(/^(nsv: runs "node .*\n)?$/) });
  const before = (await nsv.list('web')).map(({ pid }) => String(pid));
  const answers = await reloaded(nsv, port);
  const after = (await nsv.list('web')).map(({ pid, mode, ports }) => {
    expect({ mode, ports: ports.length }).toEqual({ mode: 'kernel', ports: 1 });
    return String(pid);
  });
  // The last of them need not have been asked before the visitors left.
  expect([...before, ...after]).toEqual(expect.arrayContaining([...new Set(answers)]));
  expect(answers.some((pid) => after.includes(pid))).toBe(true);
});

it('the app has the name of the package, and the directory and variables of the script', async () => {
  const port = await freePort();
  const cwd = shop(port);
  mkdirSync(join(cwd, 'src'));
  const { code, stdout } = await nsv.runWith({ cwd: join(cwd, 'src') }, 'start', 'npm', '--', 'start');
  expect({ code, stdout }).toMatchObject({ code: 0, stdout: expect.stringMatching(/^shop is ready on /) });
  const body = [cwd, 'start', '1.2.3', 'hello', join(cwd, 'node_modules', '.bin')].join('\n');
  expect(await ask(port, { path: '/about' })).toEqual({ ok: true, body });
  await nsv.ok('restart', 'shop', '--update-env');
  expect(await ask(port, { path: '/about' })).toEqual({ ok: true, body });
});

it('a script that needs a shell is run by npm, with a warning about the consequences', async () => {
  const port = await freePort();
  const cwd = shop(port);
  const { code, stderr } = await nsv.runWith({ cwd }, 'start', 'npm run shell');
  expect({ code, stderr }).toMatchObject({ code: 0, stderr: expect.stringContaining('needs a shell') });
  expect(stderr).not.toContain('cannot share a port');
  await eventually(async () => (await nsv.list())[0]?.ports.join() === String(port));
  expect(await nsv.list()).toMatchObject([{ name: 'shop-shell', mode: 'fork', status: 'online' }]);
  const two = await nsv.runWith({ cwd }, 'start', 'npm run shell', '--name', 'two', '-i', '2', '--max-restarts', '0');
  expect(two.stderr).toContain('with a gap at each reload, and its 2 processes cannot share a port: the script');
});

it('a program of a package that starts its server as another process is stopped before the next one starts', async () => {
  const port = await freePort();
  const cwd = shop(port);
  const starter = `#!/usr/bin/env node
require('child_process').spawn('node', ['server.js', '${port}'], { stdio: 'inherit' }).on('exit', process.exit);`;
  writeFileSync(join(cwd, 'node_modules', '.bin', 'starter'), starter, { mode: 0o755 });
  await nsv.runWith({ cwd }, 'start', 'npx', '--name', 'web', '--', 'starter');
  await eventually(async () => (await nsv.list())[0]?.ports.join() === String(port));
  const { code, stderr } = await nsv.run('reload', 'web');
  expect({ code, stderr }).toEqual({
    code: 0,
    stderr: "nsv: web was down for a moment; to reload without a gap, start the server's own file, or use --listen\n",
  });
  await eventually(async () => (await ask(port)).ok);
});

it('a stopped app keeps its settings when pm2-compat starts it again', { tags: 'full' }, async () => {
  const port = await freePort();
  const options = { cwd: shop(port), program: join(root, 'bin', 'pm2-compat') };
  const words = ['start', 'npm', '--name', 'web', '--', 'start'];
  expect(await nsv.runWith(options, ...words)).toMatchObject({ code: 0 });
  await nsv.ok('stop', 'web');
  await nsv.ok('restart', 'web', '--kill-timeout', '7s');
  await nsv.ok('stop', 'web');
  expect(await nsv.runWith(options, ...words)).toMatchObject({ code: 0 });
  expect((await ask(port)).ok).toBe(true);
  expect(await nsv.ok('show', 'web')).toMatch(/killTimeout +7s/);
});

it('nsv run prints what it runs instead of npm', async () => {
  nsv.script('package.json', JSON.stringify({ name: 'shop', scripts: { start: 'node job.js' } }));
  nsv.script('job.js', "console.log('done');");
  for (const words of [['--', 'npm', 'start'], ['npm', '--', 'start'], ['npm', 'start'], ['.']])
    expect(await nsv.runWith({ cwd: nsv.directory }, 'run', ...words)).toMatchObject({
      code: 0,
      stdout: 'done\n',
      stderr: expect.stringContaining('nsv: runs "node job.js", the script "start" of package.json\n'),
    });
});

it.each(['start', 'run'])('npm without a command is an error: nsv %s', async (command) => {
  expect(await nsv.fails(2, command, 'npm')).toMatch(/^nsv: npm needs a command, as in "nsv start npm start"/);
});

it('starting several processes of Bun warns that they cannot share a port', async () => {
  const bun = nsv.script('bun', '#!/bin/sh\nexec sleep 600\n');
  chmodSync(bun, 0o755);
  const words = ['start', 'app.ts', '--interpreter', './bun', '-i', '2'];
  nsv.script('app.ts', '');
  const { code, stderr } = await nsv.runWith({ cwd: nsv.directory }, ...words);
  expect({ code, stderr }).toEqual({
    code: 0,
    stderr: expect.stringMatching(/"app" cannot share a port, as bun is not Node/),
  });
});
