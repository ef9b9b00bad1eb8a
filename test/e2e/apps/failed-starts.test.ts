// What a new user sees when an app does not start: the cause first, as nsv, the app or the machine knows it.
import { readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { describe, expect, it } from 'vitest';
import { eventually } from '../../helpers/eventually.ts';
import { freePort } from '../../helpers/http.ts';
import { hello, homeForEach, leadersWith } from '../../helpers/nsv.ts';
import { finish } from '../../helpers/program.ts';
import { variants } from '../../helpers/variants.ts';

const nsv = homeForEach();

/** Starts an app that is bound to fail, and returns what is said, line by line. */
async function errorOf(...words: string[]): Promise<string[]> {
  const { code, stdout, stderr } = await nsv.run('start', ...words);
  expect([code, stdout]).toEqual([6, '']);
  return stderr.trimEnd().split('\n');
}

/** As in Express 5, the callback of `listen` gets the error, and does not look at it. */
const swallows = `const server = require('node:http').createServer();
const listens = (error) => console.log('listens');
server.once('error', listens);
server.listen(Number(process.argv[2]), listens);`;

describe('the first line of a failed start', () => {
  variants([
    {
      what: 'a module that is not there',
      file: 'web.cjs',
      source: "\nrequire('expresss');",
      first: "Error: Cannot find module 'expresss'",
      calls: 1,
      times: 1,
    },
    {
      what: 'a module that is required late',
      file: 'web.cjs',
      source: "setTimeout(() => require('expresss'), 300);",
      first: "Error: Cannot find module 'expresss'",
      calls: 1,
      times: 1,
    },
    {
      what: 'a package that is not there, of an ES module',
      file: 'web.mjs',
      source: "import express from 'expresss';",
      first: /Error \[ERR_MODULE_NOT_FOUND\]: Cannot find package 'expresss' imported from .*web\.mjs/,
      calls: 0,
      times: 1,
    },
    {
      what: 'a mistake in the source',
      file: 'web.cjs',
      source: '\nfunction () {}',
      first: 'SyntaxError: Function statements require a function name',
      calls: 1,
      times: 1,
    },
    {
      what: 'a mistake in the source of an ES module',
      file: 'web.mjs',
      source: 'let let = 1;',
      first: /SyntaxError: /,
      calls: 1,
      times: 1,
    },
    {
      what: 'a mistake in a file of settings',
      file: 'settings.json',
      source: '{bad',
      script: "require('./settings.json');",
      first: /SyntaxError: .*settings\.json/,
      calls: 1,
      times: 1,
    },
    {
      what: 'a mistake in what the app has received',
      file: 'web.cjs',
      source: "JSON.parse('{bad');",
      first: 'SyntaxError: ',
      calls: 1,
      times: 3,
    },
    {
      what: 'an error in a promise',
      file: 'web.mjs',
      source:
        "const fail = () => { throw new TypeError('no database'); };\nconst load = async () => fail();\nawait load();",
      first: 'TypeError: no database',
      calls: 3,
      times: 3,
    },
  ])(
    'names $what, after $times attempts, and then the calls',
    async ({ file, source, script, first, calls, times }) => {
      const written = nsv.script(file, source);
      const app = script === undefined ? written : nsv.script('web.cjs', script);
      const [head, ...lines] = await errorOf(app, '--max-restarts', '2');
      expect(head).toMatch(typeof first === 'string' ? `nsv: "web" did not start: ${first}` : first);
      expect(lines.slice(0, calls).every((line) => /^ {2}at .*web\.[cm]js:\d+\)?$/.test(line))).toBe(true);
      expect(lines.slice(calls)).toEqual([
        ...(times === 1 ? [] : [expect.stringMatching(/^ {2}it crashed 3 times in \d+m?s$/)]),
        '     run "nsv logs web --err" to see all that it has printed',
      ]);
    },
  );

  it('names the app that has the port, as do show and doctor, without frames of nsv', async () => {
    const port = String(await freePort());
    await nsv.ok('start', hello, '--name', 'first', '--', port);
    const cause = `port ${port} is in use by app "first"`;
    expect(await errorOf(hello, '--name', 'second', '--', port)).toEqual([
      `nsv: "second" did not start: ${cause}`,
      expect.stringMatching(/^ {2}Error: listen EADDRINUSE: address already in use/),
      expect.stringMatching(/nsv logs second --err/),
    ]);
    expect(await nsv.list('second')).toMatchObject([
      {
        reason: `${cause}; another attempt would end in the same way`,
        lastDeath: { cause: 'listen failed', about: cause },
      },
    ]);
    expect(await nsv.list('first')).toMatchObject([{ status: 'online' }]);
    expect(await nsv.ok('show', 'second')).toContain(`errored: ${cause}`);
    expect((await nsv.run('doctor')).stdout).toContain(`nsv gave up on "second": ${cause}`);
    expect(nsv.fatalLines()).toMatchObject([{ app: 'second', lastError: expect.stringContaining('EADDRINUSE') }]);
    expect(await nsv.ok('logs', 'second', '--err', '--nostream')).not.toMatch(/dist|preload/);
  });

  it('names the port even if the app swallows the error and exits with 0', async () => {
    const port = String(await freePort());
    await nsv.ok('start', hello, '--name', 'first', '--', port);
    const app = nsv.script('second.cjs', swallows);
    for (const flags of [['--max-restarts', '1'], ['--no-autorestart']]) {
      const [head, ...lines] = await errorOf(app, '--force', ...flags, '--', port);
      expect(head).toBe(`nsv: "second" did not start: port ${port} is in use by app "first"`);
      expect(lines.slice(0, 2)).toEqual(['  | listens', '  the app did not report this error, and exited with code 0']);
    }
  });

  it('names the instance that has the port, if the app does not share it', { tags: 'full' }, async () => {
    const port = await freePort();
    const app = nsv.script('web.cjs', `require('http').createServer().listen({ port: ${port}, exclusive: true })`);
    const [head] = await errorOf(app, '-i', '2', '--max-restarts', '1');
    expect(head).toMatch(
      new RegExp(`^nsv: "web" did not start: port ${port} is in use by app "web" \\(instance [01]\\)$`),
    );
  });

  it('names the program that has the port', { tags: 'full' }, async () => {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, resolve));
    const { port } = server.address() as { port: number };
    const [head] = await errorOf(hello, '--max-restarts', '0', '--', String(port));
    server.close();
    expect(head).toMatch(new RegExp(`"hello" did not start: port ${port} is in use by ".+" \\(pid ${process.pid}\\)$`));
  });

  it('names V8 out of memory if the heap is full', { tags: 'full' }, async () => {
    const app = nsv.script('web.cjs', 'const all = []; for (;;) all.push(new Array(100_000).fill({ a: 1 }));');
    const lines = await errorOf(app, '--node-args', '--max-old-space-size=20', '--max-restarts', '0');
    expect(lines).toEqual([
      expect.stringMatching(/^nsv: "web" did not start: V8 out of memory: .*heap/),
      expect.stringMatching(/--max-old-space-size/),
    ]);
  });

  it('names a missing module under nsv run, once', async () => {
    const app = nsv.script('web.cjs', "require('expresss');");
    const { code, stderr } = await nsv.run('run', app);
    expect(code).toBe(1);
    expect(stderr.match(/Require stack/g)).toHaveLength(1);
    expect(stderr).toContain("gave up on web: Error: Cannot find module 'expresss'");
  });

  it('reports a program that exits with 0, which is not restarted', async () => {
    const app = nsv.script('job.cjs', "console.log('one mail is sent')");
    for (const command of ['start', 'restart']) {
      const { code, stderr } = await nsv.run(command, command === 'start' ? app : 'job');
      expect([code, ...stderr.trimEnd().split('\n')]).toEqual([
        6,
        'nsv: "job" did not start: it ended with exit code 0; for a job that ends, use --no-autorestart',
        '  | one mail is sent',
        expect.stringMatching(/nsv logs job/),
      ]);
    }
    expect(await nsv.list()).toMatchObject([{ status: 'errored', restarts: 0 }]);
    expect(await nsv.ok('logs', 'job', '--nostream', '--raw')).toMatch(/^(one mail is sent\n){2}$/);
  });

  it('names a Node that is too old for an app', async () => {
    const old = nsv.script('old.cjs', 'delete process.getBuiltinModule;');
    const env = { NODE_OPTIONS: `--require ${old}`, NSV_NODE: process.execPath };
    const app = nsv.script(
      'nsv.config.cjs',
      `module.exports = { apps: [{ name: 'web', script: ${JSON.stringify(hello)}, max_restarts: 1,
      env: ${JSON.stringify(env)} }] }`,
    );
    expect((await errorOf(app))[0]).toMatch(
      /^nsv: "web" did not start: Error: nsv needs Node 20\.19 or newer for its apps too: \//,
    );
  });

  it('says what to do about a program that goes into the background, and leaves nothing of it', async () => {
    const source =
      "require('node:child_process').spawn('sleep', ['654'], { detached: true, stdio: 'ignore' }).unref();";
    expect(await errorOf(nsv.script('bg.cjs', source))).toEqual([
      expect.stringMatching(
        /^nsv: "bg" did not start: it went into the background, where nsv cannot watch it: have it stay/,
      ),
      expect.stringMatching(/nsv logs bg/),
    ]);
    expect(await nsv.list()).toMatchObject([{ status: 'errored', restarts: 0 }]);
    await eventually(() => leadersWith('NSV_APP=bg', `NSV_HOME=${nsv.home}`).length === 0);
  });

  it('quotes the last line that the program printed to either output', async () => {
    const out = nsv.script('out.cjs', "console.log('no DATABASE_URL'); process.exit(3)");
    expect(await errorOf(out, '--max-restarts', '1')).toEqual([
      'nsv: "out" did not start: exit code 3: no DATABASE_URL',
      expect.stringMatching(/^ {2}it exited 2 times/),
      expect.stringMatching(/nsv logs out/),
    ]);
    const source = `console.error('checks Node');
if (!process.versions.node.startsWith('1.')) { console.error('needs Node 1'); process.exit(1); }`;
    expect(await errorOf(nsv.script('err.cjs', source), '--max-restarts', '0')).toEqual([
      'nsv: "err" did not start: exit code 1: needs Node 1',
      '  | checks Node',
      '  | needs Node 1',
      expect.stringMatching(/nsv logs err/),
    ]);
  });

  it('names the cause of a failed reload too', { tags: 'full' }, async () => {
    const source = (first: string) => `${first}require('node:http').createServer().listen(0);`;
    await nsv.ok('start', nsv.script('web.cjs', source('')));
    nsv.script('web.cjs', source("require('expresss');"));
    const stderr = await nsv.fails(6, 'reload', 'web');
    expect(stderr).toMatch(
      /^nsv: reload of "web" failed: Error: Cannot find module 'expresss'; .*\n {2}at .*web\.cjs:1\)/,
    );
    expect(stderr).toContain('cannot run twice at a time, because of a lock for example, use "nsv restart web"');
  });

  it('names the port in use under nsv run too', { tags: 'full' }, async () => {
    const port = String(await freePort());
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(Number(port), resolve));
    const app = nsv.script('web.cjs', swallows);
    const { code, stderr } = await nsv.run('run', app, '--max-restarts', '0', '--', port);
    server.close();
    expect(code).toBe(1);
    expect(stderr).toContain(`gave up on web: port ${port} is in use by`);
  });
});

it('an app that lives on after a missing module may end for another reason, and is tried again', async () => {
  const source = `process.on('uncaughtException', ({ code, message }) => {
    if (code === 'MODULE_NOT_FOUND') return console.error('goes on without it');
    console.error(message); process.exit(1);
  });
  setTimeout(() => require('expresss')); setTimeout(() => { throw new Error('no database') }, 100);`;
  const lines = await errorOf(nsv.script('web.cjs', source), '--max-restarts', '2');
  expect(lines).toContainEqual(expect.stringMatching(/^ {2}it (exited|crashed) 3 times/));
});

it.each<[string, string]>([
  ['a stack that is no text', "Error.prepareStackTrace = (_, calls) => calls; JSON.parse('{bad');"],
  ['a stack of its own', "throw Object.assign(new SyntaxError('mine'), { stack: { a: 1 } });"],
  ['a code that is no text', "throw Object.assign(new Error('mine'), { code: Object.create(null) });"],
  [
    'a code that cannot be read',
    "throw Object.defineProperty(new Error('mine'), 'code', { get() { throw 'caught' } });",
  ],
  ['nothing at all', 'throw undefined;'],
])('an error with %s is printed as without nsv', { tags: 'full' }, async (_, source) => {
  const app = nsv.script('web.cjs', source);
  const alone = await finish(process.execPath, [app]);
  await errorOf(app, '--max-restarts', '0');
  expect(readFileSync((await nsv.list())[0]!.errorFile!, 'utf8')).toBe(alone.stderr);
});

it('an app that has run is tried again until a module that is gone is back', async () => {
  const part = nsv.script('part.cjs', '');
  const app = nsv.script('web.cjs', "require('./part.cjs'); setInterval(() => {}, 1e6); process.send('ready');");
  await nsv.ok('start', app, '--wait-ready', '--restart-delay', '50');
  const [{ pid } = { pid: null }] = await nsv.list();
  rmSync(part);
  process.kill(pid!, 'SIGKILL');
  await eventually(async () => (await nsv.list())[0]!.restarts > 2);
  nsv.script('part.cjs', '');
  await eventually(async () => (await nsv.list())[0]!.status === 'online');
});
