// `nsv run`: what becomes of the output, the input and the exit code of programs.
import { mkdirSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import { constants } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Foreground, type Ways } from '../../helpers/foreground.ts';
import { fixture, homeForEach, launcher } from '../../helpers/nsv.ts';
import { Terminal, whyNoTerminal } from '../../helpers/terminal.ts';
import { variants } from '../../helpers/variants.ts';

const nsv = homeForEach();

const run = (words: string[], ways?: Ways) => new Foreground(nsv, words, ways);
const shell = (script: string, ways?: Ways) => run(['--', 'sh', '-c', script], ways).ended;

describe('a program after --', () => {
  variants([0, 1, 2, 77, 125, 128, 143, 255], 3)('ends nsv with its exit code %d', async (code) => {
    expect((await shell(`exit ${code}`)).code).toBe(code);
  });

  variants(['SIGTERM', 'SIGKILL', 'SIGSEGV', 'SIGPIPE', 'SIGUSR1', 'SIGSYS'] as const, 2)(
    'ends nsv with 128 plus the number of %s if that ended it',
    async (signal) => {
      const number = constants.signals[signal];
      expect((await shell(`kill -${number} $$`)).code).toBe(128 + number);
    },
  );

  it('ends nsv with 127 if it is not found, and 126 if it cannot be executed', async () => {
    writeFileSync(join(nsv.directory, 'notes'), 'no program');
    const broken = nsv.script('broken', '#!/no/such/interpreter\n');
    expect(await run(['--', 'no-such-program']).ended).toMatchObject({
      code: 127,
      stderr: expect.stringContaining('"no-such-program" not found'),
    });
    expect((await run(['--', './notes']).ended).code).toBe(126);
    expect((await run(['--interpreter', 'none', '--', broken]).ended).code).toBe(126);
  });

  it('cannot be a config file, but can have one as an argument', { tags: 'full' }, async () => {
    const config = nsv.script('nsv.config.js', "console.log('ran')");
    const named = { stdout: '', stderr: expect.stringContaining('in nsv.config.js') };
    expect(await run([config]).ended).toMatchObject({ code: 2, ...named });
    const refused = {
      code: 7,
      stdout: '',
      stderr: expect.stringContaining(`"${config}" is not supported: it is a config file`),
    };
    expect(await run(['--', config]).ended).toMatchObject(refused);
    expect(await run(['--', 'node', config]).ended).toMatchObject({ code: 0, stdout: 'ran\n' });
  });

  it('runs only once even if it fails', { tags: 'full' }, async () => {
    expect((await shell('echo once; exit 3')).stdout).toBe('once\n');
  });

  it('loses no line printed before process.exit(), even if it is Node by a symlink', async () => {
    symlinkSync(process.execPath, join(nsv.directory, 'mine'));
    const source = `for (let n = 0; n < 20000; n += 1) console.log('line ' + n); process.exit(7)`;
    const app = nsv.script('app.cjs', source);
    const { code, stdout } = await run(['--', './mine', '--max-old-space-size=512', app]).ended;
    const lines = Array.from({ length: 20_000 }, (_, n) => `line ${n}\n`);
    expect(stdout).toBe(lines.join(''));
    expect(code).toBe(7);
  });

  it('needs no -- for "node app.js", but for options of Node', { tags: 'full' }, async () => {
    const app = nsv.script('app.cjs', "console.log('ran')");
    expect(await run(['node', app]).ended).toMatchObject({ code: 0, stdout: 'ran\n' });
    await nsv.ok('start', '--', 'node', '--no-warnings', nsv.script('waits.cjs', 'setInterval(() => {}, 1e6)'));
    expect(await nsv.list()).toMatchObject([{ name: 'waits', status: 'online' }]);
  });

  it('reads the standard input of nsv', { tags: 'full' }, async () => {
    expect((await run(['--', 'wc', '-l'], { input: 'one\ntwo\n' }).ended).stdout.trim()).toBe('2');
  });

  it('inherits the output descriptors of nsv', { tags: 'full' }, async () => {
    const { stdout } = await shell('readlink /proc/$PPID/fd/1 /proc/self/fd/1; echo; readlink /proc/self/fd/2');
    const [outside, inside] = stdout.split('\n');
    expect(inside).toBe(outside);
    expect(outside).toMatch(/^(pipe|socket):/);
  });

  it('has standard output to itself; nsv writes JSON lines to standard error', { tags: 'full' }, async () => {
    const { stdout, stderr } = await run(['--log-level', 'info', '--', 'sh', '-c', 'printf out; exit 1']).ended;
    expect(stdout).toBe('out');
    const messages = stderr.trim().split('\n');
    expect(messages.map((line) => JSON.parse(line).msg)).toEqual(expect.arrayContaining(['start', 'exit']));
  });
});

describe('an app', () => {
  it.skipIf(whyNoTerminal)('is reported about in words on a terminal', async () => {
    const app = nsv.script('app.cjs', 'process.exit(7)');
    const words = ['run', app, '--max-restarts', '0'];
    const terminal = new Terminal(['env', `NSV_HOME=${nsv.home}`, launcher, ...words]);
    expect(await terminal.ended).toBe(7);
    expect(terminal.screen.split('\r\n')).toEqual([
      'nsv: app: exit: exit code 7',
      'nsv: gave up on app: exit code 7, and restarts are disabled',
      '',
    ]);
  });

  it('is restarted until nsv gives up, and ends nsv with its last exit code', async () => {
    const app = nsv.script('app.cjs', "console.log('try'); process.exit(7)");
    const { code, stdout, stderr } = await run([app, '--max-restarts', '2']).ended;
    expect(code).toBe(7);
    expect(stdout).toBe('try\n'.repeat(3));
    expect(stderr).toContain('gave up on app');
  });

  it('never ends nsv with 0 after nsv gave up on it', { tags: 'full' }, async () => {
    const app = nsv.script('app.cjs', '');
    expect((await run([app, '--max-restarts', '0', '--stop-exit-codes', '3']).ended).code).toBe(1);
  });

  it('ends nsv with 1 once it has exited after its last error', { tags: 'full' }, async () => {
    const source = "setTimeout(() => { throw new Error('late') }, 50)";
    const app = nsv.script('web.cjs', `require('node:http').createServer().listen(0, () => ${source})`);
    expect((await run([app, '--max-restarts', '0']).ended).code).toBe(1);
  });

  it('ends nsv with the code of its last process if it always exceeds its memory limit', { tags: 'full' }, async () => {
    const app = nsv.script('web.cjs', "process.on('SIGTERM', () => process.exit(9)); setInterval(() => {}, 1000)");
    const { code, stderr } = await run([app, '--max-memory-restart', '10M', '--max-restarts', '0']).ended;
    expect(stderr).toMatch(/gave up on web: memory .*mb above limit 10.0mb, and restarts are disabled/);
    expect(code).toBe(9);
  });

  it('ends nsv with 0 if it exits with 0, and is not restarted', async () => {
    const app = nsv.script('app.cjs', "console.log('once')");
    expect(await run([app]).ended).toMatchObject({ code: 0, stdout: 'once\n' });
  });

  it('loses none of 1 MB that it prints to a slow reader right before it exits', async () => {
    const words = [`${launcher} run -- node ${fixture('prints.cjs')} 1048576 3`, 'code=$?'];
    const script = `(${words.join('; ')}; echo $code >&2) | (sleep 0.5; wc -c)`;
    const { stdout, stderr } = await nsv.runWith({ program: '/bin/sh' }, '-c', script);
    expect(stdout.trim()).toBe('1048576');
    expect(stderr).toMatch(/^3$/m);
  });

  it('does not crash nsv if its output is no longer read', { tags: 'full' }, async () => {
    const words = `${launcher} run --log-level info -- sh -c 'sleep 0.3; echo lost; exit 5'`;
    const script = `{ (${words} 2>&1; echo code $? >&3) | true; } 3>&1`;
    expect((await nsv.runWith({ program: '/bin/sh' }, '-c', script)).stdout).toMatch(/^code (5|141)$/m);
  });
});

describe('several apps', () => {
  const two = () => [
    nsv.script('good.cjs', 'setTimeout(() => {}, 100)'),
    nsv.script('bad.cjs', 'setTimeout(() => process.exit(4), 300)'),
  ];

  it('end nsv with the first failure once all of them have ended', { tags: 'full' }, async () => {
    expect((await run([...two(), '--no-autorestart']).ended).code).toBe(4);
  });

  it('are stopped when the first has ended, with --exit-on any', async () => {
    const lasting = nsv.script('lasting.cjs', 'setInterval(() => {}, 1000)');
    const [good = ''] = two();
    expect((await run([good, lasting, '--exit-on', 'any']).ended).code).toBe(0);
  });

  it('are stopped when the app that --exit-on names has ended', { tags: 'full' }, async () => {
    const lasting = nsv.script('lasting.cjs', 'setInterval(() => {}, 1000)');
    const [, bad = ''] = two();
    expect((await run([bad, lasting, '--exit-on', 'bad', '--no-autorestart']).ended).code).toBe(4);
  });

  it('get numbered names if their files have the same name', { tags: 'full' }, async () => {
    const [good = '', bad = ''] = two();
    mkdirSync(join(nsv.directory, 'other'));
    const other = join(nsv.directory, 'other', 'good.cjs');
    renameSync(bad, other);
    const { code, stdout } = await run([other, good, '--exit-on', 'good-2', '--no-autorestart']).ended;
    expect({ code, stdout }).toEqual({ code: 0, stdout: '' });
    expect((await run([good, other, '--exit-on', 'good-2', '--no-autorestart']).ended).code).toBe(4);
  });

  it('are not started when --exit-on names none of them', { tags: 'full' }, async () => {
    const { code, stderr } = await run([...two(), '--exit-on', 'web']).ended;
    expect(code).toBe(2);
    expect(stderr).toContain('all, any, first-failure, good, bad');
  });
});

describe('output line by line', () => {
  it('has a prefix with --log-prefix, and keeps a last line without a newline', async () => {
    const { stdout, stderr } = await run(['--log-prefix', '--', 'sh', '-c', 'echo one; printf two; printf bad >&2'])
      .ended;
    expect(stdout).toBe('sh|0 | one\nsh|0 | two\n');
    expect(stderr).toContain('sh|0 | bad\n');
  });

  it('is JSON with --json', { tags: 'full' }, async () => {
    const { stdout } = await run(['--json', '--', 'echo', 'one']).ended;
    expect(JSON.parse(stdout)).toEqual({ time: expect.any(Number), name: 'echo', slot: 0, stream: 'out', line: 'one' });
  });

  it('is JSON for an app with --json alone', { tags: 'full' }, async () => {
    const { stdout } = await run([nsv.script('app.cjs', "console.log('one')"), '--json']).ended;
    expect(JSON.parse(stdout)).toMatchObject({ name: 'app', line: 'one' });
  });

  describe('whose reader has gone', () => {
    /** With a reader of one line, after which there is a file "gone"; prints the exit code on standard error. */
    const cut = async (option: string, ...program: string[]) => {
      const line = `{ '${launcher}' run ${option} "$@"; echo "code $?" >&2; } | { read line; exec <&-; : > gone; }`;
      return run([line, 'sh', ...program], { command: '-c', program: ['/bin/sh'] }).ended;
    };

    variants(['', '--log-prefix', '--json'])('ends the program by SIGPIPE or a write error (%s)', async (option) => {
      // By SIGPIPE, or by the error that a write gets when lines were on their way.
      expect((await cut(option, '--', 'yes')).stderr).toMatch(/code (141|1)\n/);
    });

    it('is reported as lost once', { tags: 'full' }, async () => {
      const source = `process.stdout.on('error', () => {});
        let left = 5;
        console.log('line');
        const timer = setInterval(() => {
          if (!require('node:fs').existsSync('gone')) return;
          console.log('line');
          left -= 1;
          if (left === 0) clearInterval(timer);
        }, 20);`;
      const app = nsv.script('talks.cjs', source);
      const { stderr } = await cut('--log-prefix', app);
      expect(stderr.match(/standard output cannot be written, so its lines are lost/g)?.length).toBe(1);
      expect(stderr).toContain('code 0');
    });
  });

  it('never mixes several processes within a line', { tags: 'full' }, async () => {
    const source = "for (let i = 0; i < 2000; i += 1) console.log('x'.repeat(500)); process.exit(0)";
    const app = nsv.script('app.cjs', source);
    const { stdout } = await run([app, '-i', '2', '--log-prefix']).ended;
    const lines = stdout.trimEnd().split('\n');
    expect(lines.length).toBe(4000);
    expect(lines.filter((line) => !/^app\|[01] \| x{500}$/.test(line))).toEqual([]);
  });
});
