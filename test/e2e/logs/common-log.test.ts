// The common log file beside those of the two outputs, with real apps, the real daemon and the real formatter.
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { eventually } from '../../helpers/eventually.ts';
import { homeForEach, processesWith } from '../../helpers/nsv.ts';
import { procFile } from '../../helpers/proc.ts';
import { linesThrough, rotations } from '../../helpers/rotated.ts';

const nsv = homeForEach();
const iso = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}[+-]\d\d:\d\d: /gm;
const trio = { error_file: 'err.log', out_file: 'out.log', log_file: 'combined.log' };
const flags = ['--error', 'err.log', '--output', 'out.log', '--log', 'combined.log'];

const at = (name: string) => join(nsv.directory, name);
const textOf = (name: string) => (existsSync(at(name)) ? readFileSync(at(name), 'utf8') : '');
const linesOf = (name: string) => textOf(name).replaceAll(iso, '').trimEnd().split('\n');
const sorted = (name: string) => linesOf(name).toSorted();

/** Prints `hello 0` and `bad 0`. */
const greets = (rest = 'setInterval(() => {}, 1e6)') =>
  nsv.script(
    'greets.cjs',
    `const slot = process.env.NSV_INSTANCE; console.log('hello ' + slot); console.error('bad ' + slot); ${rest};`,
  );

/** Prints `out 0`, `err 0`, `out 1` and so on, without end. */
const prints = () =>
  nsv.script(
    'prints.cjs',
    `let n = 0; setInterval(() => { console.log('out ' + n); console.error('err ' + n); n += 1; }, 5);`,
  );

/** Two megabytes and the last words, to both outputs, and no chance to write more. */
const crashes = () =>
  nsv.script(
    'crashes.cjs',
    `for (const stream of ['stdout', 'stderr']) process[stream].write((stream + '-'.repeat(93) + '\\n').repeat(20000) + 'last');
     process.kill(process.pid, 'SIGKILL');`,
  );
const allOf = (stream: string) => [...Array<string>(20_000).fill(stream + '-'.repeat(93)), 'last'];

const formatterOf = () =>
  processesWith(`NSV_HOME=${nsv.home}`).find((pid) => procFile(pid, 'cmdline')?.includes('formatter/main.js'));

function startWith(settings: object) {
  writeFileSync(at('nsv.config.json'), JSON.stringify({ apps: [{ name: 'web', ...settings }] }));
  return nsv.ok('start', 'nsv.config.json');
}

describe('a common log file next to two others', () => {
  it('gets both outputs of all instances, and is shown, read and emptied with the others', async () => {
    await startWith({ script: greets(), instances: 2, ...trio });
    const both = ['bad 0', 'bad 1', 'hello 0', 'hello 1'];
    await eventually(() => linesOf('combined.log').length === 4);
    expect(sorted('combined.log')).toEqual(both);
    for (const slot of [0, 1]) {
      expect([textOf(`out-${slot}.log`), textOf(`err-${slot}.log`)]).toEqual([`hello ${slot}\n`, `bad ${slot}\n`]);
    }
    const shown = await nsv.ok('show', 'web');
    expect(shown).toMatch(/log lines +unchanged\n/);
    expect(shown).toContain(at('combined.log'));
    expect(await nsv.list()).toMatchObject([{ logFile: at('combined.log') }, { logFile: at('combined.log') }]);
    expect((await nsv.ok('logs', '--raw', '--nostream')).trimEnd().split('\n').toSorted()).toEqual(both);
    await nsv.ok('flush', 'web');
    const files = ['combined.log', 'out-0.log', 'out-1.log', 'err-0.log', 'err-1.log'];
    expect(files.map(textOf)).toEqual(files.map(() => ''));
  });

  it('has the time on each line if the others do', { tags: 'full' }, async () => {
    await startWith({ script: greets(), ...trio, time: true });
    await eventually(() => linesOf('combined.log').length === 2);
    expect(sorted('combined.log')).toEqual(['bad 0', 'hello 0']);
    for (const name of ['out.log', 'err.log']) expect(textOf('combined.log')).toContain(textOf(name));
    expect(textOf('combined.log').match(iso)).toHaveLength(2);
  });

  it.each([
    ['', []],
    [' with --time', ['--time']],
  ])('has every line, up to the last before SIGKILL%s', { tags: 'full' }, async (_title, more) => {
    const { code } = await nsv.run('start', crashes(), '--name', 'web', '--no-autorestart', ...flags, ...more);
    expect(code).toBe(6);
    expect(linesOf('out.log')).toEqual(allOf('stdout'));
    expect(linesOf('err.log')).toEqual(allOf('stderr'));
    expect(sorted('combined.log')).toEqual([...allOf('stdout'), ...allOf('stderr')].toSorted());
  });

  it('has every line under nsv run too', async () => {
    const { code, stdout } = await nsv.run('run', crashes(), '--no-autorestart', ...flags);
    expect([code, stdout]).toEqual([137, '']);
    expect(linesOf('out.log')).toEqual(allOf('stdout'));
    expect(linesOf('err.log')).toEqual(allOf('stderr'));
    expect(sorted('combined.log')).toEqual([...allOf('stdout'), ...allOf('stderr')].toSorted());
  });

  it('is created again if it is deleted, and rotated by size without losing a line', { tags: 'full' }, async () => {
    await nsv.ok('start', prints(), '--name', 'web', ...flags);
    await eventually(() => textOf('combined.log') !== '');
    rmSync(at('combined.log'));
    await eventually(() => textOf('combined.log').includes('out '));
    await nsv.ok('restart', 'web', '--log-max-size', '4k', '--log-keep', '1000', '--log', 'new/all.log');
    await eventually(() => existsSync(at('new/all.log')) && rotations(at('new/all.log')).length >= 2);
    await nsv.ok('stop', 'web');
    for (const stream of ['out', 'err']) {
      const found = linesThrough(at('new/all.log')).filter((line) => line.startsWith(stream));
      expect(found).toEqual(found.map((_, n) => `${stream} ${n}`));
    }
  });

  it('is no longer written after --no-log, while the other files are', {
    tags: 'full',
  }, async () => {
    await nsv.ok('start', greets(), '--name', 'web', ...flags);
    await eventually(() => linesOf('combined.log').length === 2);
    await nsv.ok('restart', 'web', '--no-log');
    await eventually(() => linesOf('out.log').length === 2 && linesOf('err.log').length === 2);
    expect(linesOf('combined.log')).toHaveLength(2);
    expect((await nsv.list())[0]).not.toHaveProperty('logFile');
  });

  it('makes the start fail if it cannot be opened', { tags: 'full' }, async () => {
    const all = '/proc/no/such.log';
    const stderr = await nsv.fails(6, 'start', greets(), ...flags.slice(0, -1), all);
    expect(stderr).toContain(`failed to open the log file "${all}"`);
  });

  it('does not trigger --watch', { tags: 'full' }, async () => {
    const app = greets("setInterval(() => console.log('more'), 50)");
    await nsv.ok('start', app, '--name', 'web', '--watch', '--watch-delay', '1', ...flags);
    const { length } = linesOf('combined.log');
    await eventually(() => linesOf('combined.log').length > length + 5);
    writeFileSync(at('other.txt'), '');
    const changes = await eventually(async () => {
      const events = await nsv.ok('events', '--since', '1h', '--nostream');
      return events.match(/\S+ changed/g);
    });
    expect(changes).toEqual([`${at('other.txt')} changed`]);
  });
});

describe('a common log file next to one other', () => {
  it('gets both outputs, including a copy of the one with its own file, and nsv logs reads no line twice', async () => {
    await nsv.ok('start', greets(), '--name', 'web', '--error', 'err.log', '--log', 'all.log');
    await eventually(() => linesOf('all.log').length === 2);
    expect([sorted('all.log'), textOf('err.log')]).toEqual([['bad 0', 'hello 0'], 'bad 0\n']);
    expect((await nsv.ok('logs', '--raw', '--nostream')).trimEnd().split('\n').toSorted()).toEqual([
      'bad 0',
      'hello 0',
    ]);
    expect(await nsv.ok('logs', '--err', '--raw', '--nostream')).toBe('bad 0\n');
  });

  it('gets the lines of two apps', { tags: 'full' }, async () => {
    await nsv.ok('start', greets(), '--name', 'a', '--error', 'a.log', '--log', 'all.log');
    await nsv.ok('start', greets(), '--name', 'b', '--output', 'b.log', '--log', 'all.log');
    await eventually(() => linesOf('all.log').length === 4);
    expect(sorted('all.log')).toEqual(['bad 0', 'bad 0', 'hello 0', 'hello 0']);
    expect((await nsv.ok('logs', '--raw', '--nostream')).trimEnd().split('\n')).toHaveLength(4);
  });
});

it('a common log file without others is written by the apps themselves, one file for all instances', async () => {
  await nsv.ok('start', greets(), '--name', 'web', '-i', '2', '--log', 'all.log');
  await eventually(() => linesOf('all.log').length === 4);
  expect(sorted('all.log')).toEqual(['bad 0', 'bad 1', 'hello 0', 'hello 1']);
  expect([formatterOf(), existsSync(join(nsv.home, 'fifos'))]).toEqual([undefined, false]);
});
