// Logs whose lines are touched on their way, with real apps, the real daemon and the real formatter.
import { existsSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { eventually } from '../../helpers/eventually.ts';
import { fixture, homeForEach, isAlive, processesWith, written } from '../../helpers/nsv.ts';
import { procFile } from '../../helpers/proc.ts';

const nsv = homeForEach();
const iso = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}[+-]\d\d:\d\d: /gm;

/** Prints `hello 0`, `bad 0`, and waits. */
const greets = () =>
  nsv.script(
    'greets.cjs',
    `const slot = process.env.NSV_INSTANCE; console.log('hello ' + slot); console.error('bad ' + slot);
     console.log(JSON.stringify({ msg: 'own', slot: 'mine' })); setInterval(() => {}, 1e6);`,
  );

/** Prints `hello 0` and `bad 0`, and ends. */
const greetsOnce = () =>
  nsv.script(
    'greets.cjs',
    `console.log('hello ' + process.env.NSV_INSTANCE); console.error('bad ' + process.env.NSV_INSTANCE)`,
  );

/** Prints numbered lines, then says that all are out, in a file and not in its output. */
const counts = (lines: number) =>
  nsv.script(
    'counts.cjs',
    `for (let n = 0; n < ${lines}; n += 1) console.log('line ' + n);
     require('fs').writeFileSync(process.argv[2], 'done\\n'); setInterval(() => {}, 1e6);`,
  );

const formatterOf = () =>
  processesWith(`NSV_HOME=${nsv.home}`).find((pid) => procFile(pid, 'cmdline')?.includes('formatter/main.js'));

async function filesOf(name: string): Promise<{ out: string; err: string }[]> {
  const views = await nsv.list(name);
  return views.map(({ outFile, errorFile }) => ({ out: outFile!, err: errorFile! }));
}

const numbered = (count: number) => Array.from({ length: count }, (_, n) => `line ${n}`);
const linesIn = (file: string) => readFileSync(file, 'utf8').replaceAll(iso, '').trimEnd().split('\n');

describe('a home with missing directories', { tags: 'full' }, () => {
  it('gets them back when an app is restarted, and its lines are formatted and logged again', async () => {
    await nsv.ok('start', greets(), '--name', 'web', '--time');
    const [{ pid } = { pid: null }] = await nsv.list();
    for (const part of ['fifos', 'logs']) rmSync(join(nsv.home, part), { recursive: true });
    await nsv.ok('restart', 'web');
    const [files] = await filesOf('web');
    expect((await written(files!.out)).replaceAll(iso, '')).toContain('hello 0\n');
    expect((await nsv.list())[0]?.pid).not.toBe(pid);
  });
});

describe('a log that cannot be written', () => {
  it('is a problem until it can, also if another formatter has to say so', async () => {
    const log = join(nsv.directory, 'out.log');
    symlinkSync('/dev/full', log);
    await nsv.ok('start', fixture('counts.cjs'), '--name', 'web', '--time', '--output', log);
    const problems = async () => (await nsv.list())[0]?.problems ?? [];
    await eventually(async () => (await problems()).length > 0);
    process.kill(formatterOf()!, 'SIGKILL');
    rmSync(log);
    await eventually(async () => existsSync(log) && (await problems()).length === 0);
  });
});

describe('lines', () => {
  it('begin with the time with --time, as nsv show reports', async () => {
    await nsv.ok('start', greets(), '--name', 'web', '--time');
    const [files] = await filesOf('web');
    const text = await written(files!.out);
    expect(text.match(iso)?.length).toBe(2);
    expect(text.replaceAll(iso, '')).toBe('hello 0\n{"msg":"own","slot":"mine"}\n');
    expect((await written(files!.err)).replace(iso, '')).toBe('bad 0\n');
    expect(await nsv.ok('show', 'web')).toMatch(/log lines +with time as YYYY-MM-DDTHH:mm:ss.SSSZ\n/);
  });

  it('become JSON in one file for all instances with --log-type json --merge-logs', { tags: 'full' }, async () => {
    await nsv.ok('start', greets(), '--name', 'web', '-i', '2', '--log-merge-json', '--merge-logs', '--log', 'all.log');
    const views = await nsv.list();
    const text = await written(views[0]!.outFile!);
    const objects = text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(objects.length).toBe(6);
    for (const { slot, pid } of views) {
      const common = { app: 'web', pid, time: expect.stringMatching(/^\d{4}-.*Z$/) };
      expect(objects).toContainEqual({ ...common, slot, level: 'out', message: `hello ${slot}` });
      expect(objects).toContainEqual({ ...common, slot, level: 'err', message: `bad ${slot}` });
      expect(objects).toContainEqual({ ...common, slot: 'mine', level: 'out', msg: 'own' });
    }
  });

  it.each([
    ['YYYY-nn', /--log-date-format must not contain "nn": use tokens such as YYYY/],
    ['', /--log-date-format must be a non-empty string/],
  ])('cannot have a date of the format "%s"', { tags: 'full' }, async (format, expected) => {
    expect(await nsv.fails(2, 'start', greets(), '--log-date-format', format)).toMatch(expected);
  });

  it('make the start fail if their file cannot be opened', { tags: 'full' }, async () => {
    const stderr = await nsv.fails(6, 'start', greets(), '--time', '--output', '/proc/no/such.log');
    expect(stderr).toContain('failed to open the log file "/proc/no/such.log"');
    expect(await nsv.list()).toEqual([]);
  });

  it('are formatted on the standard output of nsv run too', { tags: 'full' }, async () => {
    const { stdout } = await nsv.run('run', '--log-type', 'json', '--', 'sh', '-c', 'echo one; echo two');
    const lines = stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(lines).toMatchObject([
      { app: 'sh', level: 'out', pid: expect.any(Number), message: 'one' },
      { app: 'sh', message: 'two' },
    ]);
  });

  it('are written by nsv run to one file for all instances and outputs with --log', async () => {
    const dated = ['--kill-timeout', '5000', '--log-date-format=YYYY-MM-DD HH:mm:ss', '--log', './output.log'];
    expect(await nsv.run('run', greetsOnce(), '-i', '2', ...dated)).toMatchObject({ code: 0, stdout: '', stderr: '' });
    const text = readFileSync(join(nsv.directory, 'output.log'), 'utf8');
    const dates = /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d: /gm;
    expect(text.match(dates)).toHaveLength(4);
    expect(text.replaceAll(dates, '').trimEnd().split('\n').toSorted()).toEqual([
      'bad 0',
      'bad 1',
      'hello 0',
      'hello 1',
    ]);
    expect(readdirSync(nsv.directory).filter((name) => name.endsWith('.log'))).toEqual(['output.log']);
  });

  it('are all written to the file by nsv run, up to the last before a crash', { tags: 'full' }, async () => {
    const source = `process.stdout.write('x'.repeat(2e6) + '\\nlast'); process.kill(process.pid, 'SIGKILL')`;
    const options = ['--no-autorestart', '--log-prefix', '--output', 'out.log'];
    const { code } = await nsv.run('run', nsv.script('crashes.cjs', source), ...options);
    expect(code).toBe(137);
    const lines = readFileSync(join(nsv.directory, 'out.log'), 'utf8').split('\n');
    expect(lines.at(-2)).toBe('crashes|0 | last');
    expect(lines.join('').replaceAll(/crashes\|0 \| /g, '')).toBe(`${'x'.repeat(2e6)}last`);
  });

  it('make nsv run fail if their file cannot be opened', { tags: 'full' }, async () => {
    const stderr = await nsv.fails(6, 'run', greetsOnce(), '--time', '--output', '/proc/no/such.log');
    expect(stderr).toContain('failed to open the log file "/proc/no/such.log"');
  });

  it('need no formatter with --disable-logs', { tags: 'full' }, async () => {
    await nsv.ok('start', greets(), '--name', 'web', '--time', '--disable-logs');
    expect(formatterOf()).toBeUndefined();
  });
});

describe.each([['raw'], ['formatted', '--time']])('in %s mode', (_mode, ...flags) => {
  it('two megabytes printed right before the exit are all in the log, and the exit code is reported', async () => {
    const plan = ['--name', 'web', '--no-autorestart', ...flags, '--', '2000000', '3'];
    expect(await nsv.fails(6, 'start', fixture('prints.cjs'), ...plan)).toContain('exit code 3');
    const [files] = await filesOf('web');
    expect(readFileSync(files!.out, 'latin1').replaceAll(iso, '').replaceAll('\n', '')).toBe('x'.repeat(1_999_999));
  });

  it('the last error output of a failing program is quoted by start and by daemon.log', { tags: 'full' }, async () => {
    const script = nsv.script('fails.sh', '#!/bin/sh\nprintf "no such luck" >&2\nexit 1\n');
    const { stderr } = await nsv.run('start', script, '--name', 'web', '--max-restarts', '2', ...flags);
    expect(stderr).toContain('no such luck');
    expect(nsv.fatalLines()).toMatchObject([{ lastError: expect.stringContaining('no such luck') }]);
  });
});

describe('a formatted log', { tags: 'full' }, () => {
  it('has every line once and in order if the daemon is killed while the app prints', async () => {
    const done = `${nsv.directory}/done`;
    await nsv.ok('start', counts(200_000), '--name', 'web', '--time', '--no-wait', '--', done);
    const file = `${nsv.home}/logs/web-0-out.log`;
    await written(file);
    process.kill(nsv.daemonPid!, 'SIGKILL');
    await nsv.ok('start', greets(), '--name', 'other', '--time');
    await written(done);
    const lines = await eventually(() => {
      const found = linesIn(file);
      return found.length >= 200_000 && found;
    });
    expect(lines).toEqual(numbered(200_000));
  });

  it('has every line once and in order if the formatter is killed between two lines', async () => {
    const asked = nsv.script(
      'asked.cjs',
      `let n = 0; process.on('SIGUSR2', () => { for (let i = 0; i < 100; i += 1) console.log('line ' + n++); });
       setInterval(() => {}, 1e6); console.log('up');`,
    );
    await nsv.ok('start', asked, '--name', 'web', '--time');
    const [files] = await filesOf('web');
    for (let round = 0; round < 4; round += 1) {
      const before = formatterOf()!;
      process.kill(before, 'SIGKILL');
      await eventually(() => !isAlive(before));
      await nsv.ok('signal', 'SIGUSR2', 'web');
      await eventually(() => linesIn(files!.out).length === 1 + 100 * (round + 1));
      expect(formatterOf()).not.toBe(before);
    }
    expect(linesIn(files!.out)).toEqual(['up', ...numbered(400)]);
  });

  it('has the last line if the app ends while there is no formatter', async () => {
    const source = `process.on('SIGUSR2', () => { console.log('last'); process.exit(0); }); setInterval(() => {}, 1e6);`;
    const dies = nsv.script('dies.cjs', source);
    await nsv.ok('start', dies, '--name', 'web', '--time', '--no-autorestart');
    const [files] = await filesOf('web');
    process.kill(formatterOf()!, 'SIGKILL');
    await nsv.ok('signal', 'SIGUSR2', 'web');
    await written(files!.out);
    expect(linesIn(files!.out)).toEqual(['last']);
  });
});
