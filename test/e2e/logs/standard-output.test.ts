// Apps that log to /dev/stdout and /dev/stderr, as those in containers do.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, expect, it, onTestFinished } from 'vitest';
import { eventually } from '../../helpers/eventually.ts';
import { Foreground } from '../../helpers/foreground.ts';
import { homeForEach, isAlive, launcher, written } from '../../helpers/nsv.ts';
import { variants } from '../../helpers/variants.ts';

const nsv = homeForEach();

const talker = () =>
  nsv.script('talks.cjs', "console.log('to out'); console.error('to err'); setInterval(() => {}, 1e6);");
const both = ['--output', '/dev/stdout', '--error', '/dev/stderr'];

describe('an app that logs to the outputs of the daemon', () => {
  it('has usual log files below a daemon without a terminal of its own', async () => {
    await nsv.ok('start', talker(), ...both);
    const [{ outFile, errorFile } = { outFile: null, errorFile: null }] = await nsv.list();
    expect([await written(outFile!), await written(errorFile!)]).toEqual(['to out\n', 'to err\n']);
    expect(await nsv.ok('logs', '--nostream', '--raw', '--out')).toBe('to out\n');
  });

  it('inherits those of a daemon in the foreground, and is adopted by the next one', async () => {
    const daemon = () => new Foreground(nsv, ['--foreground'], { command: 'daemon' });
    const first = daemon();
    await first.prints(/daemon ready/);
    await nsv.ok('start', talker(), ...both);
    await eventually(() => first.stdout.includes('to out\n') && first.stderr.includes('to err\n'));
    const [before] = await nsv.list();
    expect(before).toMatchObject({ outFile: null, errorFile: null });
    expect((await nsv.run('logs', '--nostream')).stderr).toContain('nsv passes its output through');
    first.sends('SIGKILL');
    await eventually(() => !isAlive(first.pid));
    const second = daemon();
    await second.prints(/daemon ready/);
    expect(await nsv.list()).toMatchObject([{ pid: before!.pid, restarts: 0 }]);
    await nsv.ok('restart', 'talks');
    await eventually(() => second.stdout.includes('to out\n'));
    second.sends('SIGKILL');
    await eventually(() => !isAlive(second.pid));
    // A daemon in the background cannot give it another place before it is started again.
    expect(await nsv.list()).toMatchObject([{ restarts: 0, outFile: null, errorFile: null }]);
    await nsv.ok('restart', 'talks');
    expect(await nsv.list()).toMatchObject([{ outFile: expect.any(String), errorFile: expect.any(String) }]);
  });

  it('starts below a daemon whose output is a socket, as that of systemd, which cannot be opened', async () => {
    const script = `import socket, subprocess, sys
ours, theirs = socket.socketpair()
child = subprocess.Popen(sys.argv[1:], stdout=theirs, stderr=subprocess.DEVNULL); theirs.close()
while True:
  text = ours.recv(65536)
  if not text: break
  sys.stdout.buffer.write(text); sys.stdout.flush()`;
    const env = { ...process.env, NSV_HOME: nsv.home };
    const child = spawn('python3', ['-c', script, launcher, 'daemon', '--foreground'], { env });
    onTestFinished(() => void child.kill('SIGKILL'));
    let text = '';
    child.stdout.setEncoding('utf8').on('data', (part) => (text += part));
    const [error] = await Promise.race([once(child, 'error'), once(child, 'spawn')]);
    if (error) return console.warn('skipped: python3 is missing');
    await eventually(async () => (await nsv.run('ping')).code === 0);
    await nsv.ok('start', talker(), ...both);
    await eventually(() => text.includes('to out\n'));
    await nsv.ok('kill');
  });
});

describe('under nsv run', () => {
  variants([
    { words: both, out: 'to out\n', err: 'to err\n' },
    { words: ['--error', '/dev/fd/1'], out: 'to out\nto err\n', err: '' },
    { words: ['--log', '/proc/self/fd/2', '--log-prefix'], out: '', err: 'talks|0 | to out\ntalks|0 | to err\n' },
  ])('an app with $words prints there', async ({ words, out, err }) => {
    const run = new Foreground(nsv, [talker(), ...words]);
    await eventually(() => run.stdout.length === out.length && run.stderr.length === err.length);
    expect([run.stdout, run.stderr]).toEqual([out, err]);
    run.sends('SIGTERM');
    await run.ended;
  });
});
