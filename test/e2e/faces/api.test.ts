// The package as a program has it: packed, installed, and loaded by both kinds of module, with its types.
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { eventually } from '../../helpers/eventually.ts';
import { fixture, hello, homeForEach, root } from '../../helpers/nsv.ts';
import { procFile } from '../../helpers/proc.ts';
import { finish, outputOf } from '../../helpers/program.ts';

const nsv = homeForEach();

/** A project that has what npm would publish. */
beforeEach(async () => {
  const words = ['pack', '--json', '--ignore-scripts', '--pack-destination', nsv.directory];
  const [packed] = JSON.parse(await outputOf('npm', words, { cwd: root }));
  const modules = join(nsv.directory, 'node_modules');
  mkdirSync(join(modules, 'nsv'), { recursive: true });
  const from = ['-xzf', join(nsv.directory, packed.filename), '--strip-components=1'];
  await outputOf('tar', [...from, '-C', join(modules, 'nsv')]);
  mkdirSync(join(modules, '@types'));
  symlinkSync(join(root, 'node_modules', '@types', 'node'), join(modules, '@types', 'node'));
  symlinkSync(join(root, 'node_modules', 'undici-types'), join(modules, 'undici-types'));
});

/** Runs to its end, by itself; throws what it said if that is not well. */
async function run(name: string, source: string): Promise<string[]> {
  const file = nsv.script(name, source);
  const options = { cwd: nsv.directory, env: { ...process.env, NSV_HOME: nsv.home } };
  const { code, stdout, stderr } = await finish(process.execPath, [file], options);
  if (code !== 0) throw new Error(`${name} ended with ${code}\n${stdout}${stderr}`);
  expect(stderr).toBe('');
  return stdout.trim().split('\n');
}

const life = `
  const nsv = await connect();
  const events = nsv.events();
  await events.subscribed;
  const started = await nsv.start(${JSON.stringify(hello)}, { name: 'web', instances: 2, args: ['0'] });
  console.log('started', started.map(({ status }) => status).join());
  const [app] = await nsv.describe('web');
  console.log('settings', app.spec.instances, app.spec.args.join());
  await nsv.reload('web', { parallel: 2, onProgress: (text) => console.log(text.replace(/ \\(.*/, '')) });
  for await (const event of events) if (event.type === 'reload') break;
  const reloaded = await nsv.list('web');
  console.log('other processes', reloaded.every(({ pid }) => !started.some((old) => old.pid === pid)));
  await nsv.stop('web');
  console.log((await nsv.list()).map(({ name, status }) => name + ' ' + status).join());
  await nsv.start('web').then(() => nsv.delete('web'));
  await nsv.start('./nothing.js').catch((error) => console.log(error instanceof NsvError, error.code));
  const { stopped } = await nsv.kill();
  console.log('stopped', stopped);
`;
const reported = [
  'started online,online',
  'settings 2 0',
  'waiting for web',
  'other processes true',
  'web stopped,web stopped',
  'true BAD_APP',
  'stopped 0',
];

describe('import of the package', () => {
  it('works in an ES module, which exits after close()', async () => {
    const source = `import { connect, NsvError } from 'nsv';\n${life}  await nsv.close();\n`;
    expect([...new Set(await run('life.mjs', source))]).toEqual(reported);
  });

  it('works in CommonJS, which exits even without close()', { tags: 'full' }, async () => {
    const source = `const { connect, NsvError } = require('nsv');\n(async () => {${life}})();\n`;
    expect([...new Set(await run('life.cjs', source))]).toEqual(reported);
  });

  it('reads logs as they grow, and talks to processes by topic', async () => {
    const app = nsv.script(
      'app.cjs',
      `process.on('message', ({ topic, data }) => console.log('%s: %j\\u2028', topic, data));
       for (let n = 0; n < 20; n += 1) console.log('line', n);
       console.error('oops');
       process.send('ready');
       setInterval(() => {}, 1e6);`,
    );
    const lines = await run(
      'logs.mjs',
      `import { connect } from 'nsv';
       await connect(true).catch((error) => console.log(error.code));
       const nsv = await connect();
       await nsv.start(${JSON.stringify(app)}, { name: 'web', instances: 2, wait_ready: true });
       await nsv.start('/bin/sleep', { name: 'other', args: ['600'] });
       const past = [];
       for await (const line of nsv.logs({ targets: 'web', lines: 2, stream: 'out', follow: false })) past.push(line);
       console.log(past.map(({ app, slot, stream, message }) => [app, slot, stream, message].join(' ')).sort().join());
       const said = nsv.logs({ targets: 'web', lines: 0 });
       const first = said.next();
       const again = setInterval(() => nsv.message('web', 'colour', { hue: [1] }), 50);
       console.log((await first).value.message, typeof (await first).value.id);
       clearInterval(again);
       await said.return();
       const abort = new AbortController();
       const silent = nsv.logs({ targets: 'other', signal: abort.signal }).next();
       abort.abort();
       await silent.catch((error) => console.log(error.name));
       for (const fail of [() => nsv.logs({ targets: 'nope' }).next(), () => nsv.message('other', 'a'), () => nsv.message('nope', 'a')])
         await fail().catch((error) => console.log(error.code));
       await nsv.message('web', 'a', 1n).catch((error) => console.log(error.code));
       await nsv.logs({ stream: 'x' }).next().catch((error) => console.log(error.code));
       const left = nsv.logs({ targets: 'other' });
       const pending = left.next();
       await left.return();
       console.log((await pending).done);
       const open = nsv.logs({ targets: 'other' }).next();
       await nsv.close();
       console.log((await open).done);
       try { nsv.logs() } catch (error) { console.log(error.code) }`,
    );
    const expected = ['web 0 out line 18', 'web 0 out line 19', 'web 1 out line 18', 'web 1 out line 19'].join();
    expect(lines).toEqual([
      'BAD_USAGE',
      expected,
      'colour: {"hue":[1]}\u2028 number',
      'AbortError',
      'NO_SUCH_APP',
      'NO_CHANNEL',
      'NO_SUCH_APP',
      'BAD_USAGE',
      'BAD_USAGE',
      'true',
      'true',
      'CLOSED',
    ]);
  });

  it('leaves nothing that reads logs behind when the program exits', async () => {
    const [pid] = await run(
      'exits.mjs',
      `import { connect } from 'nsv';
       import { readFileSync } from 'node:fs';
       const nsv = await connect();
       await nsv.start('/bin/sleep', { name: 'quiet', args: ['600'] });
       nsv.logs({ targets: 'quiet' }).next();
       const children = () => readFileSync('/proc/self/task/' + process.pid + '/children', 'utf8').trim().split(' ');
       const isReader = (pid) => pid !== '' && readFileSync('/proc/' + pid + '/cmdline', 'utf8').includes('--json');
       setInterval(() => {
         const [reader] = children().filter(isReader);
         if (reader === undefined) return;
         console.log(reader);
         process.exit();
       }, 10);`,
    );
    await eventually(() => procFile(pid!, 'stat') === undefined);
  });

  it('leaves the daemon and its apps running when the program exits', { tags: 'full' }, async () => {
    await run(
      'leaves.mjs',
      `import { connect } from 'nsv';\nawait (await connect()).start(${JSON.stringify(fixture('web.cjs'))});\n`,
    );
    expect(await nsv.list()).toMatchObject([{ name: 'web', status: 'online' }]);
  });

  it('reports the loss of the daemon, and reconnects to the next one', { tags: 'full' }, async () => {
    const lines = await run(
      'survives.mjs',
      `import { connect } from 'nsv';
       const nsv = await connect();
       await nsv.start(${JSON.stringify(fixture('web.cjs'))});
       const events = nsv.events();
       await events.subscribed;
       const { pid } = await nsv.ping();
       process.kill(pid, 'SIGKILL');
       console.log(await events.next().catch(({ code }) => code));
       console.log((await nsv.ping()).pid !== pid);
       await nsv.save();
       await nsv.kill();
       const [listed, woken] = await Promise.allSettled([nsv.list(), nsv.resurrect()]);
       console.log(listed.reason.code, woken.status);
       await nsv.close();`,
    );
    // Of two calls at the same time the one that may launch a daemon does.
    expect(lines).toEqual(['DAEMON_UNREACHABLE', 'true', 'DAEMON_NOT_RUNNING fulfilled']);
  });
});

describe('the types of the package', { tags: 'full' }, () => {
  const source = (load: string) => `${load}
    export async function use(): Promise<void> {
      await using nsv: Nsv = await connect({ home: '/tmp/home', launch: false });
      const [first] = await nsv.start('app.js', { instances: 4, kill_timeout: '5s', env: { PORT: 3000 } });
      await (await connect({ env: process.env })).start('app.js', { env: { TTL: process.env.TTL, PORT: 80 } });
      const pid: number | null | undefined = first?.pid;
      await nsv.start({ apps: [{ script: 'a.js' }] }, { force: true, onProgress: (text) => text.trim() });
      for await (const event of nsv.events({ targets: ['web', 3] })) {
        const code: number | null | undefined = event.exit?.code;
        if (event.type === 'giveup' && code === pid) break;
      }
      const timeout: number | undefined = (await nsv.describe('web'))[0]?.spec.killTimeout;
      // @ts-expect-error a key that is none
      await nsv.start('app.js', { instnaces: timeout });
      // @ts-expect-error the targets are missing
      await nsv.stop();
      // @ts-expect-error no such method
      await nsv.stpo('web');
      try {
        await nsv.kill();
      } catch (error) {
        // @ts-expect-error no such code
        if (error instanceof NsvError && error.code === 'DAEMON_UNREACHABEL') throw new Error(error.hint);
      }
    }\n`;

  it('work in ES modules and in CommonJS', async () => {
    const files = ['use.mts', 'use.cts'];
    nsv.script('use.mts', source("import { connect, type Nsv, NsvError } from 'nsv';"));
    nsv.script(
      'use.cts',
      source(
        "import nsvPackage = require('nsv');\nimport type { Nsv } from 'nsv';\nconst { connect, NsvError } = nsvPackage;",
      ),
    );
    writeFileSync(
      join(nsv.directory, 'tsconfig.json'),
      JSON.stringify({
        compilerOptions: {
          module: 'nodenext',
          target: 'es2022',
          lib: ['es2023'],
          strict: true,
          noEmit: true,
          skipLibCheck: false,
          types: ['node'],
        },
        files,
      }),
    );
    const compiler = join(root, 'node_modules', 'typescript', 'bin', 'tsc');
    const { stdout, code } = await finish(process.execPath, [compiler], { cwd: nsv.directory });
    expect({ stdout, code }).toEqual({ stdout: '', code: 0 });
  });
});
