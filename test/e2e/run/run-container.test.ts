// `nsv run` at the top of a pid namespace, as in a container, and on a terminal.
import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { beforeEach, describe, expect, it } from 'vitest';
import { Foreground, namespace, whyNoNamespace, withoutShell } from '../../helpers/foreground.ts';
import { homeForEach, launcher } from '../../helpers/nsv.ts';
import { describeVariants, variants } from '../../helpers/variants.ts';

const nsv = homeForEach();
const noNamespace = await whyNoNamespace();

/** A double fork into another session: nothing ties it to the app any more. */
const stray = (script: string) => `(setsid sh -c '${script}' &) ; while ! [ -e stray ]; do sleep 0.02; done`;

describeVariants([
  ['the launcher', [launcher]],
  ['Node itself', withoutShell],
] as const)('process 1 by %s', (_title, program) => {
  beforeEach(({ skip }) => skip(noNamespace !== undefined, noNamespace));
  const contained = (...words: string[]) => new Foreground(nsv, words, { within: namespace, program });

  variants([7, 0, 255])('exits with code %d of the program', async (code) => {
    expect((await contained('--', 'sh', '-c', `exit ${code}`).ended).code).toBe(code);
  });

  it('sends SIGTERM to processes that the app has left behind, and waits for them', async () => {
    const script = `${stray('trap "sleep 0.3; echo asked; exit" TERM; touch stray; while :; do sleep 0.05; done')}; exit 6`;
    expect(await contained('--', 'sh', '-c', script).ended).toMatchObject({ code: 6, stdout: 'asked\n' });
  });

  it('kills processes that do not exit in time', async () => {
    const script = `${stray('trap "" TERM; touch stray; while :; do sleep 0.05; done')}; exit 6`;
    expect((await contained('--stop-timeout', '500', '--', 'sh', '-c', script).ended).code).toBe(6);
  });

  it('lets the --on-giveup command finish', async () => {
    const app = nsv.script('crash.cjs', 'process.exit(3)');
    const reported = join(nsv.directory, 'told');
    const options = ['--max-restarts', '0', '--on-giveup', `sleep 0.5; echo "$NSV_APP" > '${reported}'`];
    expect((await contained(app, ...options).ended).code).toBe(3);
    expect(readFileSync(reported, 'utf8')).toBe('crash\n');
  });

  it('stops the app on SIGTERM', async () => {
    const script = "trap 'exit 9' TERM; kill -TERM 1; while :; do sleep 0.05; done";
    expect((await contained('--', 'sh', '-c', script).ended).code).toBe(9);
  });
});

describe.skipIf(noNamespace)('process 1 without sh', () => {
  it('warns once that orphans remain zombies', async () => {
    const { stderr } = await new Foreground(nsv, ['--', 'true'], { within: namespace, program: withoutShell }).ended;
    expect(stderr.match(/remain zombies/g)?.length).toBe(1);
  });
});

describe.skipIf(noNamespace)('process 1 without /proc', () => {
  it('still runs and stops an app', async () => {
    const hide = ['sh', '-c', 'mount -t tmpfs none /proc && exec "$@"', 'sh'];
    const within = ['unshare', '--mount', '--pid', '--fork', '--kill-child', ...hide];
    const script = "trap 'exit 9' TERM; kill -TERM 1; while :; do sleep 0.05; done";
    expect((await new Foreground(nsv, ['--', 'sh', '-c', script], { within }).ended).code).toBe(9);
  });
});

const python = '/usr/bin/python3';
const hasPython = existsSync(python);
if (!hasPython) console.warn(`skipped: ${python} is not there to make a terminal`);

/** Types the words that stand in argv, each once the prompt is there; prints what came back and the exit code. */
const typist = `
import os, pty, sys
words = sys.argv[1].encode().decode('unicode_escape').split('|')
pid, fd = pty.fork()
if pid == 0:
    os.environ['PS1'] = 'ready> '
    os.execv(sys.argv[2], sys.argv[2:])
seen = text = b''
while True:
    try:
        part = os.read(fd, 4096)
    except OSError:
        break
    if not part: break
    seen += part
    text += part
    if words and words[0].split('=>')[0].encode() in seen:
        os.write(fd, words.pop(0).split('=>')[1].encode())
        seen = b''
print(text.decode(errors='replace'))
print('code', os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
`;

describe.skipIf(!hasPython)('nsv run on a terminal', () => {
  const typed = async (words: string, ...args: string[]) => {
    const env = { ...process.env, NSV_HOME: nsv.home };
    const ran = await promisify(execFile)(python, ['-c', typist, words, launcher, 'run', ...args], { env });
    return ran.stdout;
  };

  it('gives a shell job control', async () => {
    // What is typed comes back too, so it must not look like what the program says.
    const source =
      "process.on('SIGCONT', () => console.log('goes on')); setInterval(() => {}, 1000); console.log('runs')";
    const job = `node ${nsv.script('job.cjs', source)}`;
    const words = [
      `ready> =>${job}\\n`,
      'runs=>\\x1a',
      'ready> =>fg\\n',
      'goes on=>\\x03',
      'ready> =>echo last $?\\n',
      'ready> =>exit 3\\n',
    ];
    const text = await typed(words.join('|'), '--', 'bash', '--norc', '--noprofile', '-i');
    expect(text).toContain('Stopped');
    expect(text).toContain('last 130');
    expect(text).toContain('code 3');
    expect(text).not.toContain('no job control');
  });

  it('assumes that SIGINT came from the keyboard, unless --rewrite maps it', { tags: 'full' }, async () => {
    const script = "trap 'exit 6' INT; trap 'exit 5' USR1; trap 'exit 4' TERM; echo started; read go";
    const signals = 'kill -INT $PPID; kill -USR1 $PPID; while :; do sleep 0.05; done';
    const words = ['--', 'sh', '-c', `${script}; ${signals}`];
    expect(await typed('started=>\\n', ...words)).toContain('code 5');
    expect(await typed('started=>\\n', '--rewrite', 'INT:TERM', '--rewrite', 'USR1:0', ...words)).toContain('code 4');
  });

  it('leaves Ctrl-C to the program in the foreground', async () => {
    const script = "trap 'echo caught; exit 4' INT; echo started; while :; do sleep 0.05; done";
    const text = await typed('started=>\\x03', '--', 'sh', '-c', script);
    expect(text.match(/caught/g)?.length).toBe(1);
    expect(text).toContain('code 4');
  });

  it('is not blocked by output that Ctrl-S has paused', { tags: 'full' }, async () => {
    const script = "trap 'exit 6' TERM; echo started; read go; echo more; sleep 0.3; kill -TERM $PPID";
    const words = ['--log-prefix', '--stop-timeout', '1s', '--', 'sh', '-c', `${script}; while :; do sleep 0.05; done`];
    expect(await typed('started=>\\x13\\n', ...words)).toContain('code 6');
  });

  it('does not restart an app that Ctrl-C has ended, even if it notices the exit first', { tags: 'full' }, async () => {
    // The key as nsv would hear it: once the app is not only dead, but reaped.
    const late = 'kill -INT $1; while kill -0 $1; do :; done; kill -INT $2';
    // Without the variable it does not belong to the app, and is not stopped with it.
    const script = `echo started; read go; env -u NSV_TREE setsid sh -c '${late}' sh $$ $PPID 2>&- & exec sleep 60`;
    const app = nsv.script('app.sh', `[ -e ended ] && exit 0; touch ended; ${script}`);
    expect(await typed('started=>\\n', app, '--cwd', nsv.directory)).toContain('code 130');
  });

  it('ends on Ctrl-C if no app is running', { tags: 'full' }, async () => {
    const app = nsv.script('app.sh', 'sleep 0.1; exit 4');
    expect(await typed('app: exit=>\\x03', app, '--restart-delay', '10m')).toContain('code 4');
  });
});
