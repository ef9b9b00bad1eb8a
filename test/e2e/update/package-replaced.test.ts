// The package is taken away or replaced below a running daemon, as by a package manager, or by somebody who rebuilds a clone.
import {
  chmodSync,
  cpSync,
  existsSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { version } from '../../../src/shared/version.ts';
import { eventually } from '../../helpers/eventually.ts';
import { Foreground } from '../../helpers/foreground.ts';
import { ask, freePort } from '../../helpers/http.ts';
import { homeForEach, root } from '../../helpers/nsv.ts';
import { createRelease } from '../../helpers/release.ts';
import { variants } from '../../helpers/variants.ts';

const nsv = homeForEach();
const at = (...names: string[]) => join(nsv.directory, ...names);
/** `nsv` of a package that the test may change. */
let program: string;

beforeEach(() => {
  program = createRelease(at('nsv'), { daemon: (source) => `${source}\n// ${nsv.directory}` });
});

const run = (...words: string[]) => nsv.runWith({ program }, ...words);

async function ok(...words: string[]): Promise<string> {
  const { code, stdout, stderr } = await run(...words);
  expect({ code, stderr }, words.join(' ')).toMatchObject({ code: 0 });
  return stdout + stderr;
}

const server = `
const { fork } = require('node:child_process');
if (process.argv[2] === 'child') return;
require('node:http').createServer((request, response) => {
  if (request.url === '/fork') fork(__filename, ['child']).on('exit', (code) => response.end('exit ' + code));
  else response.end('ok');
}).listen(process.env.PORT, () => console.log('listening'));
`;

const dist = () => at('nsv', 'dist');
const buildOf = (folder: string): string => JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')).build;

/** Of another build. `change`: what its programs are, but for the command line. */
function replacePackage(change = (source: string) => source): void {
  const build = buildOf(dist());
  renameSync(dist(), at('away'));
  cpSync(at('away'), dist(), { recursive: true });
  const names = readdirSync(dist(), { recursive: true, encoding: 'utf8' });
  for (const name of names.filter((file) => /\.js(on)?$/.test(file))) {
    const source = readFileSync(join(dist(), name), 'utf8').replaceAll(build, 'ffffffff');
    const isKept = /^(cli|vendor)\/|\.json$/.test(name);
    writeFileSync(join(dist(), name), isKept ? source : change(source));
  }
}

function breakPackage(): void {
  replacePackage(() => 'process.exit(99)');
  writeFileSync(at('nsv', 'bin', 'guard.sh'), 'exit 99');
}

/** Where the running daemon has its files. */
const copy = () => readFileSync(join(nsv.home, 'daemon.pid'), 'utf8').split('\n')[2]!;
const otherBuild = `the daemon is another build of nsv ${version}; run "nsv update"`;

/** Returns once it is back. */
async function crash(name: string): Promise<void> {
  const [before] = await nsv.list(name);
  process.kill(before!.pid!, 'SIGKILL');
  await eventually(async () => {
    const [now] = await nsv.list(name);
    return now?.status === 'online' && now.pid !== before?.pid;
  }, `${name} is back`);
}

async function startWeb(): Promise<number> {
  const port = await freePort();
  const file = nsv.script('web.cjs', server);
  expect(await nsv.runWith({ program, env: { PORT: String(port) } }, 'start', file, '--time')).toMatchObject({
    code: 0,
  });
  return port;
}

const ways: [string, () => void][] = [
  ['is away', () => renameSync(dist(), at('away'))],
  ['is that of another build', breakPackage],
];

describe('a daemon whose package', () => {
  variants(ways)('%s starts all that it needs from its own files', async (_title, change) => {
    const port = await startWeb();
    const pages = await freePort();
    await ok('serve', nsv.directory, String(pages), '--name', 'pages');
    change();
    await crash('web');
    await crash('pages');
    expect(await ask(port, { path: '/fork' })).toEqual({ ok: true, body: 'exit 0' });
    await nsv.replaceDaemon();
    await crash('web');
    expect(await ask(port, { path: '/fork' })).toEqual({ ok: true, body: 'exit 0' });
    expect((await ask(pages, { path: '/web.cjs' })).ok).toBe(true);
    expect((await nsv.ok('logs', 'web', '--nostream')).match(/listening/g)).toHaveLength(3);
  });

  it('was replaced is continued by its own build until "nsv update" has run', async () => {
    const port = await startWeb();
    const [before, pids] = [copy(), await nsv.pids()];
    breakPackage();
    await nsv.killDaemonAndGuard();
    expect(await run('list')).toMatchObject({ code: 0, stderr: expect.stringContaining(otherBuild) });
    expect([copy(), await nsv.pids()]).toEqual([before, pids]);
    rmSync(dist(), { recursive: true });
    renameSync(at('away'), dist());
    cpSync(join(root, 'bin'), at('nsv', 'bin'), { recursive: true });
    replacePackage();
    await ok('update');
    expect(copy()).not.toBe(before);
    expect(await run('list')).toMatchObject({ code: 0, stderr: '' });
    await crash('web');
    expect(await ask(port, { path: '/fork' })).toEqual({ ok: true, body: 'exit 0' });
  });
});

describe('a command whose package is away', () => {
  it('says so, if it is run meanwhile, and why it ends, if it was run before', async () => {
    await startWeb();
    const following = new Foreground(nsv, ['--json'], { command: 'events', program: [program] });
    // It tells nothing of what was before.
    await eventually(async () => {
      await nsv.ok('signal', 'CONT', 'web');
      return following.stdout !== '';
    });
    renameSync(dist(), at('away'));
    expect(await run('list')).toEqual({
      code: 127,
      signal: null,
      stdout: '',
      stderr: expect.stringContaining('/dist/cli/main.js is missing: the package is being replaced'),
    });
    await nsv.killDaemonAndGuard();
    expect(await following.ended).toMatchObject({ code: 4, stderr: expect.stringMatching(/^nsv: .+\n {5}.+\n$/) });
  });
});

describe('a daemon whose own files were deleted', () => {
  it('uses those of the package while it is of the same build, then waits, and counts no crash', async () => {
    const port = await startWeb();
    rmSync(copy(), { recursive: true });
    await crash('web');
    expect((await ask(port)).ok).toBe(true);
    replacePackage();
    process.kill((await nsv.list())[0]!.pid!, 'SIGKILL');
    await eventually(async () => (await nsv.list())[0]?.status === 'waiting restart');
    expect(await ok('show', 'web')).toContain('the files that nsv loads into Node apps are gone');
    expect(JSON.parse((await run('doctor', '--json')).stdout)).toMatchObject({
      findings: expect.arrayContaining([expect.objectContaining({ remedy: expect.stringContaining('nsv update') })]),
    });
    expect(await run('restart', 'web')).toMatchObject({ code: 6, stderr: expect.stringContaining('nsv update') });
    await ok('update');
    await eventually(async () => (await nsv.list())[0]?.status === 'online');
    expect((await ask(port)).ok).toBe(true);
  });
});

describe('the copy that a daemon runs from', () => {
  const preload = () => join(copy(), 'dist', 'worker', 'preload.js');

  it('is whole for all daemons that are started with a build at the same time', async () => {
    const program = createRelease(join(nsv.directory, 'new'), {});
    const homes = Array.from({ length: 8 }, (_, index) => join(nsv.directory, `home-${index}`));
    const inEach = (...words: string[]) =>
      Promise.all(homes.map((home) => nsv.runWith({ program, env: { NSV_HOME: home } }, ...words)));
    try {
      const ran = await inEach('start', '/bin/sleep', '--no-wait', '--', '600');
      expect(ran.map(({ stderr }) => stderr).join('')).toBe('');
    } finally {
      await inEach('kill');
    }
  });

  it('is made again if it was damaged', async () => {
    const port = await startWeb();
    truncateSync(preload());
    await ok('update');
    await crash('web');
    expect((await ask(port)).ok).toBe(true);
  });

  it('is made again if others could have changed it', async () => {
    await startWeb();
    const before = copy();
    await ok('kill');
    writeFileSync(join(before, 'dist', 'planted'), '');
    chmodSync(before, 0o777);
    await startWeb();
    expect([copy(), existsSync(join(copy(), 'dist', 'planted'))]).toEqual([before, false]);
  });

  it('is kept as long as a daemon in the foreground uses it', { tags: 'full' }, async () => {
    const daemon = new Foreground(nsv, ['--foreground'], { command: 'daemon', program: [program] });
    await daemon.prints(/daemon ready/);
    const releases = Array.from({ length: 6 }, (_, at) =>
      createRelease(join(nsv.directory, `release-${at}`), {
        daemon: (source) => `${source}\n// ${nsv.directory} ${at}`,
      }),
    );
    const env = { NSV_HOME: at('other') };
    for (const release of releases)
      expect(await nsv.runWith({ program: release, env }, 'run', '--', 'true')).toMatchObject({ code: 0 });
    expect(existsSync(preload())).toBe(true);
    daemon.sends('SIGTERM');
    expect(await daemon.ended).toMatchObject({ code: 0 });
  });
});
