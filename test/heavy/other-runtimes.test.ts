// Apps for the real Bun and Deno, from their npm packages.
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { ask, freePort } from '../helpers/http.ts';
import { homeForEach } from '../helpers/nsv.ts';
import { installPackages } from '../helpers/packages.ts';
import { finish } from '../helpers/program.ts';

const nsv = homeForEach();
const packages = await installPackages('bun', 'deno');

const server = `import * as http from 'node:http';
const port: number = Number(process.env.PORT);
http.createServer((_: unknown, response: any) => response.end('hello')).listen(port);`;

beforeEach(async () => {
  if (packages.missing) return;
  packages.link(nsv.directory);
  nsv.script(
    'package.json',
    JSON.stringify({ name: 'shop', scripts: { bun: 'bun app.ts', deno: 'deno run -A app.ts' } }),
  );
  nsv.script('app.ts', server);
  // Packages may not run scripts while they are installed: these fetch their programs when they are run first.
  for (const name of ['bun', 'deno'])
    expect(await finish(join(nsv.directory, 'node_modules/.bin', name), ['--version'])).toMatchObject({ code: 0 });
});

const start = (env: Record<string, string>, ...words: string[]) =>
  nsv.runWith({ cwd: nsv.directory, env }, 'start', ...words, '--max-restarts', '0');

describe.skipIf(packages.missing).each([
  ['bun', []],
  ['deno', ['--interpreter-args', 'run -A']],
])('an app for %s', (runtime, options) => {
  it.each([
    ['by its interpreter', ['app.ts', '--interpreter', runtime, ...options]],
    ['by a package script', [`npm run ${runtime}`]],
  ])('is ready on its port, and can be restarted, reloaded and stopped: %s', async (_, words) => {
    const port = await freePort();
    expect(await start({ PORT: String(port) }, ...words, '--name', 'web')).toMatchObject({ code: 0 });
    expect(await nsv.list()).toMatchObject([{ name: 'web', status: 'online', ports: [String(port)] }]);
    for (const command of ['restart', 'reload']) {
      await nsv.ok(command, 'web');
      expect(await ask(port)).toEqual({ ok: true, body: 'hello' });
    }
    await nsv.ok('stop', 'web');
    expect(await ask(port)).toEqual({ ok: false, why: 'ECONNREFUSED' });
  });

  it('fails with the name of the app that holds its port', async () => {
    const port = await freePort();
    const words = ['app.ts', '--interpreter', runtime, ...options];
    expect(await start({ PORT: String(port) }, ...words, '--name', 'first')).toMatchObject({ code: 0 });
    const { code, stderr } = await start({ PORT: String(port) }, ...words, '--name', 'second');
    const [first] = stderr.split('\n');
    expect({ code, first }).toEqual({
      code: 6,
      first: `nsv: "second" did not start: port ${port} is in use by app "first" (instance 0)`,
    });
  });

  it.each([
    [
      'an exception',
      "function connect(): never { throw new TypeError('no database'); }\nconnect();",
      /: TypeError: no database$/,
    ],
    ['a syntax error', 'const a = {;\n', /: .*[Ee]xpected/],
    ['a missing module', "import x from './nope.ts';\nconsole.log(x);", /nope\.ts/],
  ])('fails with the error in the first line, without colours: %s', async (_, source, expected) => {
    nsv.script('broken.ts', source);
    const { code, stderr } = await start({}, 'broken.ts', '--interpreter', runtime, ...options);
    expect(code).toBe(6);
    expect(stderr.split('\n')[0]).toMatch(expected);
    expect(stderr).not.toMatch(/\\x1b|\\u001b/);
  });

  it('is reported as unable to share a port between its processes', async () => {
    const byInterpreter = ['app.ts', '--interpreter', runtime, ...options, '--name', 'one'];
    const { stderr } = await start({ PORT: String(await freePort()) }, ...byInterpreter, '-i', '2');
    expect(stderr).toContain(`the 2 processes of "one" cannot share a port, as ${runtime} is not Node`);
    const byScript = [`npm run ${runtime}`, '--name', 'two'];
    const run = await start({ PORT: String(await freePort()) }, ...byScript, '-i', '2');
    expect(run.stderr).toContain('its 2 processes cannot share a port');
  });
});
