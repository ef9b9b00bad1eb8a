// The loader of the command line with parts of the tests in a process of its own, as V8 finds in memory what it has compiled there.
import { execFile } from 'node:child_process';
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { beforeEach, describe, expect, it } from 'vitest';
import { installed } from '../../../src/shared/paths.ts';
import { homeForEach } from '../../helpers/nsv.ts';
import { temporaryDirectory } from '../../helpers/temporary.ts';

let folder: string;
let home: string;
let cache: string;

beforeEach(() => {
  const directory = temporaryDirectory();
  folder = join(directory, 'cli');
  home = join(directory, 'home');
  cache = join(home, 'code-cache');
  mkdirSync(home);
  mkdirSync(folder);
  copyFileSync(join(installed.bundles, 'cli', 'main.js'), join(folder, 'main.js'));
});

function part(name: string, source: string): void {
  writeFileSync(join(folder, name), source);
}

/** What is loaded first: it prints a value, and ends like a command that succeeds. */
function program(value: string): void {
  part('command-line.js', `exports.runCommandLine = (save) => { console.log(${value}); save(); };`);
}

async function run(env: Record<string, string> = {}): Promise<string> {
  const { NODE_COMPILE_CACHE: _, ...others } = process.env;
  const options = { env: { ...others, NSV_HOME: home, ...env } };
  return (await promisify(execFile)(process.execPath, [join(folder, 'main.js')], options)).stdout.trim();
}

const kept = () => readdirSync(cache).map((name) => join(cache, name));
const inodes = () => kept().map((file) => statSync(file).ino);

describe('the parts of the command line', () => {
  it('require each other once, and modules of Node', async () => {
    part('one.js', 'exports.loads = (exports.loads ?? 0) + 1; exports.file = __filename;');
    program(
      `[require('./one.js'), require('./one.js').loads, require('./one'+'.js').file, typeof require('node:os').EOL].join()`,
    );
    expect(await run()).toBe(`[object Object],1,${join(folder, 'one.js')},string`);
    expect(kept()).toHaveLength(2);
  });

  it('load commander only when they use it', async () => {
    mkdirSync(join(folder, '..', 'vendor'));
    writeFileSync(join(folder, '..', 'vendor', 'commander.js'), "console.log('loaded'); exports.value = 1;");
    part(
      'command-line.js',
      `(function (exports, require, module, __filename, __dirname) {
        const commander = require('../vendor/commander.js');
        exports.runCommandLine = () => {
          console.log('begun');
          console.log(commander.value);
        };
      })`,
    );
    expect(await run()).toBe('begun\nloaded\n1');
  });

  it('are compiled once', async () => {
    program('1');
    await run();
    const first = inodes();
    expect(await run()).toBe('1');
    expect(inodes()).toEqual(first);
  });

  it('are compiled again when they have changed, also to the same length', async () => {
    program('1');
    await run();
    program('2');
    expect(await run()).toBe('2');
  });

  it.each([0, 100])('are compiled again when only %d bytes of their code are there', async (length) => {
    program('1');
    await run();
    const [code = ''] = kept();
    const whole = statSync(code).size;
    truncateSync(code, length);
    expect(await run()).toBe('1');
    expect(statSync(code).size).toBe(whole);
  });

  it('are compiled once for each set of flags, whichever is used in between', async () => {
    program('1');
    await run();
    await run({ NODE_OPTIONS: '--max-old-space-size=512' });
    const first = inodes();
    expect(first).toHaveLength(2);
    for (const flags of ['', '--max-old-space-size=512', '']) expect(await run({ NODE_OPTIONS: flags })).toBe('1');
    expect(inodes()).toEqual(first);
  });

  it('leave nothing behind when there is no room for their code', async () => {
    program('1');
    await run();
    const names = readdirSync(cache);
    for (const name of names) rmSync(join(cache, name));
    // A directory cannot be replaced by a file.
    for (const name of names) mkdirSync(join(cache, name));
    expect(await run()).toBe('1');
    expect(readdirSync(cache)).toEqual(names);
  });

  it('are not run with code that another user could have put there', async () => {
    program('6');
    await run();
    const [other = ''] = kept();
    program('1');
    await run();
    for (const code of kept()) if (code !== other) copyFileSync(other, code);
    // What is kept is what runs, as the source has the same length.
    expect(await run()).toBe('6');
    chmodSync(cache, 0o777);
    expect(await run()).toBe('1');
  });

  it('leave no code where another user could change it', async () => {
    mkdirSync(cache);
    chmodSync(cache, 0o777);
    program('1');
    expect(await run()).toBe('1');
    expect(kept()).toEqual([]);
  });

  it.each(['none', 'file'])('are run without a place for their code (%s)', async (name) => {
    part('file', '');
    program('1');
    const before = readdirSync(folder);
    expect(await run({ NSV_HOME: join(folder, name) })).toBe('1');
    expect(readdirSync(folder)).toEqual(before);
  });

  it('leave their code where NODE_COMPILE_CACHE says, or nowhere', async () => {
    program('1');
    expect(await run({ NODE_DISABLE_COMPILE_CACHE: '1' })).toBe('1');
    expect(await run({ NODE_COMPILE_CACHE: folder })).toBe('1');
    expect(readdirSync(home)).toEqual([]);
    expect(readdirSync(join(folder, 'nsv'))).toHaveLength(1);
  });

  it('keep the code of a few versions only', async () => {
    program('1');
    await run();
    for (let other = 0; other < 60; other += 1) writeFileSync(join(cache, `of-version-${other}`), '');
    program('2');
    await run();
    expect(kept()).toHaveLength(1);
  });

  it('keep the functions that have run', async () => {
    const text = (value: string) =>
      `exports.runCommandLine = (save) => { ${value}; save(); function used() { return [${'1,'.repeat(999)}]; } };`;
    part('command-line.js', text('used()'));
    await run();
    const [first = ''] = kept();
    part('command-line.js', text('void 0'));
    await run();
    const [second = ''] = kept().filter((code) => code !== first);
    expect(readFileSync(first).length).toBeGreaterThan(readFileSync(second).length);
  });
});

describe('nsv', () => {
  const nsv = homeForEach();

  it('keeps its compiled code in the home, and creates no home for it', async () => {
    const env = { NODE_COMPILE_CACHE: undefined };
    const none = join(nsv.directory, 'none');
    expect(await nsv.runWith({ env: { ...env, NSV_HOME: none } }, 'list')).toMatchObject({ code: 0 });
    expect(existsSync(none)).toBe(false);
    mkdirSync(nsv.home, { mode: 0o700 });
    expect(await nsv.runWith({ env }, 'list')).toMatchObject({ code: 0 });
    const listing = readdirSync(join(nsv.home, 'code-cache'));
    // All that every command needs, in one file: reading six took 4 ms longer.
    expect(listing.map((name) => name.split('-')[0])).toEqual(['command']);
    expect(await nsv.runWith({ env }, 'jlist')).toMatchObject({ code: 0, stdout: '[]\n' });
    expect(readdirSync(join(nsv.home, 'code-cache')).length).toBeGreaterThan(listing.length);
  });
});
