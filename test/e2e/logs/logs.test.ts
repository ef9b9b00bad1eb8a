// `nsv logs` and the log files of apps, with real apps that write and real commands that read.
import { existsSync, mkdirSync, readdirSync, rmSync, statSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { eventually } from '../../helpers/eventually.ts';
import { Foreground } from '../../helpers/foreground.ts';
import { homeForEach, launcher, written } from '../../helpers/nsv.ts';
import { makeFifo } from '../../helpers/program.ts';
import { Terminal, whyNoTerminal } from '../../helpers/terminal.ts';
import { variants } from '../../helpers/variants.ts';

const nsv = homeForEach();
const followings: Foreground[] = [];

afterEach(async () => {
  for (const following of followings.splice(0)) {
    following.sends('SIGKILL');
    await following.ended;
  }
});

function logs(...words: string[]): Foreground {
  const following = new Foreground(nsv, words, { command: 'logs' });
  followings.push(following);
  return following;
}

/** An app that prints its arguments and its slot, a line each 20 ms, whatever happens to its log. */
function talker(): string {
  return nsv.script(
    'talker.cjs',
    `let n = 0; const words = process.argv.slice(2).join(' ');
     setInterval(() => console.log(words + ' from ' + process.env.NSV_INSTANCE + ', line ' + n++), 20);`,
  );
}

describe('nsv logs on a terminal', () => {
  const line = '\x1b]52;c;aGVsbG8=\x07\x1b[31mred\x1b[0m\x1b[2J';

  it.skipIf(whyNoTerminal)('shows colours and escapes the rest, and passes on everything with --raw', async () => {
    const app = nsv.script('app.cjs', `console.log(${JSON.stringify(line)}); setInterval(() => {}, 1e6);`);
    await nsv.ok('start', app, '--name', 'web');
    const shown = async (...words: string[]) => {
      const terminal = new Terminal(['env', `NSV_HOME=${nsv.home}`, launcher, 'logs', '--nostream', ...words]);
      expect(await terminal.ended).toBe(0);
      return terminal.screen;
    };
    const screen = await shown();
    expect(screen).toContain('\\x1b]52;c;aGVsbG8=\\x07\x1b[31mred\x1b[0m\\x1b[2J\x1b[0m\r\n');
    expect(screen).not.toMatch(/\x1b(?!\[[\d;]*m)/);
    expect(await shown('--raw')).toBe(`${line}\r\n`);
    const [start, ...lines] = (await nsv.ok('logs', '--nostream')).split('\n');
    expect(start).toMatch(/^── web started \d\d:\d\d:\d\d ──$/);
    expect(lines).toEqual([`0|web|0     | ${line}`, '']);
  });

  it.skipIf(whyNoTerminal)('prints which files it reads', async () => {
    await nsv.ok('start', talker(), '--name', 'web');
    const terminal = new Terminal(['env', `NSV_HOME=${nsv.home}`, launcher, 'logs', '--nostream']);
    expect(await terminal.ended).toBe(0);
    const [out, err] = ['out', 'err'].map((stream) => join(nsv.home, `logs/web-0-${stream}.log`));
    expect(terminal.screen.split('\r\n')[0]).toBe(`nsv: reading ${out}, ${err}`);
    expect((await nsv.run('logs', '--nostream')).stderr).toBe('');
  });
});

describe('the start marks of nsv logs', () => {
  const started = '── web started \\d\\d:\\d\\d:\\d\\d ──\n';

  it('are shown in existing output, even after a daemon has died', async () => {
    const app = nsv.script('web.cjs', "console.log('up'); console.error('oh'); setInterval(() => {}, 1e6);");
    await nsv.ok('start', app);
    await nsv.ok('restart', 'web');
    await nsv.replaceDaemon();
    await nsv.ok('restart', 'web');
    const [out, err] = ['0\\|web\\|0     \\| up\n', '0\\|web\\|0 err \\| oh\n'];
    expect(await nsv.ok('logs', '--nostream')).toMatch(new RegExp(`^(${started}${out}${started}${err}){3}$`));
    expect(await nsv.ok('logs', '--nostream', '--err')).toMatch(new RegExp(`^(${started}${err}){3}$`));
    for (const flag of ['--raw', '--json', '--grep=u']) {
      expect(await nsv.ok('logs', '--nostream', flag)).not.toContain('started');
    }
    expect(await nsv.ok('logs', '--nostream', '--timestamp', '-n', '1', '--out')).toMatch(
      / \| ≥ \d{4}-\d\d-\d\d \d\d:\d\d:\d\d {3}up\n$/,
    );
    await nsv.ok('flush');
    expect(await nsv.ok('logs', '--nostream')).toBe('');
  });

  it('are shown while logs are followed', async () => {
    const app = nsv.script('web.cjs', "console.log('up'); setInterval(() => {}, 1e6);");
    await nsv.ok('start', app);
    const following = logs('web', '-n', '0');
    await eventually(async () => {
      await nsv.ok('restart', 'web');
      return new RegExp(`${started}0\\|web\\|0     \\| up\n`).test(following.stdout);
    });
    expect(following.stderr).toBe('');
  });
});

describe('nsv logs follows', () => {
  it('an app that is started later, from its first line on', async () => {
    await nsv.ok('start', talker(), '--name', 'web', '--', 'web');
    const following = logs('-n', '1');
    await following.prints(/\|web\|0 +\| web from 0, line \d+\n/);
    await nsv.ok('start', talker(), '--name', 'worker', '--', 'later');
    await following.prints(/1\|worker\|0 +\| later from 0, line 0\n/);
    following.sends('SIGINT');
    expect(await following.ended).toMatchObject({ code: 130, stderr: '' });
  });

  it('an instance that is added, even if the files get other names', { tags: 'full' }, async () => {
    await nsv.ok('start', talker(), '--name', 'web', '--output', 'out.log', '--', 'hello');
    const following = logs('web', '--raw', '-n', '0');
    await following.prints(/hello from 0/);
    await nsv.ok('scale', 'web', '2');
    await following.prints(/hello from 1, line 0\n/);
    const seen = following.stdout.length;
    await eventually(() => following.stdout.slice(seen).includes('hello from 0'));
    const inScope = await nsv.run('logs', 'web', '--raw', '--nostream');
    expect(inScope.stdout).toMatch(/from 0.*from 1/s);
  });

  it('an app by its name when it is replaced by one with another file', { tags: 'full' }, async () => {
    await nsv.ok('start', talker(), '--name', 'web', '--', 'first');
    const following = logs('web', '--raw');
    await following.prints(/first from 0/);
    await nsv.ok('start', talker(), '--name', 'web', '--force', '--output', 'deep/new/out.log', '--', 'second');
    await following.prints(/second from 0, line 0\n/);
  });

  it('the apps of the next daemon after "nsv kill"', { tags: 'full' }, async () => {
    await nsv.ok('start', talker(), '--name', 'web', '--', 'first');
    const following = logs('--raw');
    await following.prints(/first from 0/);
    await nsv.ok('kill');
    await nsv.ok('start', talker(), '--name', 'other', '--', 'second');
    await following.prints(/second from 0, line 0\n/);
    expect(following.stderr).toBe('');
  });

  it('a file that was deleted, and the new one once the app is restarted', { tags: 'full' }, async () => {
    await nsv.ok('start', talker(), '--name', 'web', '--', 'hello');
    const [view] = await nsv.list();
    const following = logs('web', '--raw', '-n', '0');
    await following.prints(/hello/);
    rmSync(view!.outFile!);
    const seen = following.stdout.length;
    await eventually(() => following.stdout.slice(seen).includes('hello'));
    await nsv.ok('restart', 'web');
    await following.prints(/line 0\n/);
  });
});

describe('nsv logs', () => {
  it('exits quietly when its output is closed', { tags: 'full' }, async () => {
    await nsv.ok('start', talker(), '--name', 'web', '--', 'hello');
    const command = `"${launcher}" logs --raw; echo "ended with $?" >&2`;
    const { stdout, stderr } = await nsv.runWith({ program: '/bin/sh' }, '-c', `{ ${command}; } | head -n 2`);
    expect(stdout.split('\n')).toHaveLength(3);
    expect(stderr).toBe('ended with 0\n');
  });

  variants(['logs --raw', 'events'])('exits when its output is closed, even if no line follows: %s', async (words) => {
    const app = nsv.script('silent.cjs', "console.log('hello'); setInterval(() => {}, 1e6);");
    await nsv.ok('start', app, '--name', 'web');
    const command = `"${launcher}" ${words}; echo "ended with $?" >&2`;
    // The next to write to it is nsv, long after this reader.
    const reader = words === 'events' ? 'sleep 0.5' : 'head -n 1';
    const { stderr } = await nsv.runWith({ program: '/bin/sh' }, '-c', `{ ${command}; } | ${reader}`);
    expect(stderr).toBe('ended with 0\n');
  });

  it('reads neither its own output nor a directory or FIFO in place of a log', { tags: 'full' }, async () => {
    const own = join(nsv.directory, 'own.log');
    symlinkSync('/dev/stdout', own);
    await nsv.ok('start', talker(), '--name', 'web', '--output', own, '--', 'hello');
    await nsv.ok('start', talker(), '--name', 'worker', '--', 'hello');
    for (const stream of ['out', 'err']) rmSync(join(nsv.home, `logs/worker-0-${stream}.log`));
    mkdirSync(join(nsv.home, 'logs/worker-0-out.log'));
    await makeFifo(join(nsv.home, 'logs/worker-0-err.log'));
    const command = `"${launcher}" logs --nostream >> own.txt; "${launcher}" flush >> own.txt; cat own.txt`;
    const { stdout, stderr } = await nsv.runWith({ program: '/bin/sh' }, '-c', `echo kept > own.txt; ${command}`);
    expect(stdout).toBe('kept\nnothing to empty\n');
    expect(stderr.match(/the file was deleted, but the app still writes to it/g)).toHaveLength(2);
  });

  it('passes on invalid UTF-8 byte for byte with --raw', { tags: 'full' }, async () => {
    const source = `process.stdout.write(Buffer.from('ff00c341e282ac0a', 'hex')); setInterval(() => {}, 1e6);`;
    await nsv.ok('start', nsv.script('bytes.cjs', source), '--name', 'web');
    const { stdout } = await nsv.runWith(
      { program: '/bin/sh' },
      '-c',
      `"${launcher}" logs --raw --nostream | od -An -tx1`,
    );
    expect(stdout.trim()).toBe('ff 00 c3 41 e2 82 ac 0a');
  });
});

describe('nsv flush', () => {
  it('empties the log of a running app, which continues at the beginning and is still followed', async () => {
    // So long that what is written until the next look is always less.
    const source = `console.log('x'.repeat(1e6)); let n = 0; setInterval(() => console.log('line ' + n++), 20);`;
    await nsv.ok('start', nsv.script('long.cjs', source), '--name', 'web');
    const [view] = await nsv.list();
    const following = logs('web', '--raw', '-n', '0');
    await following.prints(/line \d+\n/);
    expect(await nsv.ok('flush', 'web')).toMatch(/^emptied .*web-0-out\.log \(.*kb\)\n$/);
    const [first] = (await written(view!.outFile!)).split('\n');
    expect(first).toMatch(/^line \d+$/);
    await following.prints(new RegExp(`${first}\n`));
  });
});

describe('output', () => {
  const start = (...words: string[]) => nsv.run('start', talker(), '--name', 'web', ...words);

  it('is written to new directories, which are closed to others', { tags: 'full' }, async () => {
    await start('--output', 'new/deep/out.log', '--error', join(nsv.directory, 'other', 'err.log'));
    expect(existsSync(join(nsv.directory, 'new/deep/out.log'))).toBe(true);
    expect(existsSync(join(nsv.directory, 'other/err.log'))).toBe(true);
    expect(statSync(join(nsv.directory, 'new')).mode & 0o777).toBe(0o750);
  });

  it.each([['--disable-logs'], ['--log', '/dev/null'], ['--output', '/dev/null', '--error', '/dev/null']])(
    'is discarded with %s, and nsv logs reports that',
    { tags: 'full' },
    async (...words) => {
      expect(await start('-i', '2', ...words)).toMatchObject({ code: 0 });
      expect(existsSync(join(nsv.home, 'logs')) ? readdirSync(join(nsv.home, 'logs')) : []).toEqual([]);
      expect(await nsv.fails(7, 'logs', 'web')).toContain('"web" keeps no logs: its output goes to /dev/null');
    },
  );

  it('can go to one file from two apps, and is shown once', { tags: 'full' }, async () => {
    await start('--output', 'both.log', '--', 'one');
    await nsv.ok('start', talker(), '--name', 'api', '--output', 'both.log', '--', 'two');
    const following = logs('-n', '0');
    await following.prints(/^0\|web,api +\| one from/m);
    await following.prints(/^0\|web,api +\| two from/m);
    following.sends('SIGINT');
    const lines = (await following.ended).stdout.trimEnd().split('\n');
    expect(new Set(lines).size).toBe(lines.length);
  });

  it.each(['--output', '--error'])(
    'makes the start fail, and leaves no app behind, if %s cannot be opened',
    { tags: 'full' },
    async (flag) => {
      mkdirSync(join(nsv.directory, 'folder'));
      symlinkSync(join(nsv.directory, 'nowhere'), join(nsv.directory, 'dangling'));
      for (const [file, detail] of [
        ['folder', 'EISDIR'],
        ['talker.cjs/out.log', 'ENOTDIR'],
        ['dangling/new/out.log', 'ENOENT'],
        ['/proc/no/such/out.log', 'ENOENT'],
      ] as const) {
        const { code, stderr } = await start(flag, file);
        expect([code, stderr]).toEqual([
          6,
          expect.stringMatching(`failed to open the log file ".*${file}": ${detail}`),
        ]);
        expect(await nsv.list()).toEqual([]);
      }
      expect(await start()).toMatchObject({ code: 0 });
    },
  );
});
