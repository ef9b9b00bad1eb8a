// Starts the daemon as a detached process that is independent of the launching shell.
import { type ChildProcess, type StdioOptions, spawn } from 'node:child_process';
import { closeSync, existsSync, openSync, readdirSync, readFileSync } from 'node:fs';
import { constants } from 'node:os';
import { allocatorSettings } from '../os/allocator.ts';
import { detailOf, failure, type NsvError } from '../shared/errors.ts';
import { lastWords } from '../shared/launch-log.ts';
import { type HomePaths, programsIn } from '../shared/paths.ts';

/**
 * V8 flags that the daemon needs at startup; the others are in daemon/upkeep/idle-gc.ts. A small young generation,
 * because a crash loop produces only garbage, and no idle collections by V8: daemon/upkeep/idle-gc.ts does its own.
 */
export const daemonFlags: readonly string[] = ['--max-semi-space-size=1', '--no-memory-reducer'];

/** Variables the daemon takes from the launching shell. Apps get the environment of the shell that started *them*. */
const inherited = [
  'PATH', // finds interpreters, and the command of --on-giveup
  'HOME', // the command of --on-giveup expects these four
  'USER',
  'LOGNAME',
  'SHELL',
  'TMPDIR', // where the user wants temporary files
  'TZ', // time zone of cron patterns
  'LANG', // language of the output of --on-giveup
  'NSV_NODE', // the Node that bin/nsv runs
  'NSV_LOGS_MAX', // a limit of this home: src/config/environment.ts
];

export interface DaemonProcess {
  /** Throws DAEMON_FAILED if the process has exited with an error. On exit code 0, it found another daemon running. */
  check(): void;
  /** Kills a daemon that does not come up: it holds the lock, so no other daemon could start. */
  kill(): void;
}

/** Starts the daemon with its command, from `daemonCommand`. Throws DAEMON_FAILED if that is not possible. */
export function spawnDaemon(paths: HomePaths, command: DaemonCommand): DaemonProcess {
  // Output goes to a file rather than a pipe, so that the daemon's last words can be read however late they come.
  const child = spawnInto(paths, command);
  child.unref();
  let problem: NsvError | undefined;
  child.once('error', (cause) => {
    problem = failure('DAEMON_FAILED', { detail: cause.message }, { cause });
  });
  child.once('exit', (code, signal) => {
    const cause = signal ?? signalOf(code);
    if (code !== 0) problem = ended(cause ? `killed by ${cause}` : `exited with code ${code}`, paths.launchLog);
  });
  return {
    check() {
      if (problem) throw problem;
    },
    // The guard kills the daemon with SIGKILL and exits.
    kill: () => void child.kill(command[0] === shell ? 'SIGUSR1' : 'SIGKILL'),
  };
}

function spawnInto({ home, launchLog }: HomePaths, [program, ...words]: DaemonCommand): ChildProcess {
  const open: number[] = [];
  const opened = (file: string, flags: string) => {
    const fd = openSync(file, flags, 0o600);
    open.push(fd);
    return fd;
  };
  try {
    const stdio = covered(['ignore', 'ignore', opened(launchLog, 'w')], () => opened('/dev/null', 'r'));
    const env = { ...daemonEnvironment(process.env), NSV_HOME: home };
    return spawn(program, words, { detached: true, cwd: '/', env, stdio });
  } catch (cause) {
    throw failure('DAEMON_FAILED', { detail: detailOf(cause) }, { cause });
  } finally {
    for (const fd of open) closeSync(fd);
  }
}

/** Decodes an exit code as a shell (here the guard) reports signals. */
function signalOf(code: number | null): string | undefined {
  return Object.entries(constants.signals).find(([, number]) => code === 128 + number)?.[0];
}

const shell = '/bin/sh';

type DaemonCommand = readonly [string, ...string[]];

/** The command of the daemon below `root`, under the guard that restarts it, if that is there. `main`: another program. */
export function daemonCommand(root: string, main?: string): [string, ...string[]] {
  const { daemon, guard } = programsIn(root);
  const command: [string, ...string[]] = [process.execPath, ...daemonFlags, main ?? daemon];
  return existsSync(guard) ? [shell, guard, ...command] : command;
}

export function daemonEnvironment(ours: NodeJS.ProcessEnv): Record<string, string> {
  const kept = Object.entries(ours).filter(([key]) => inherited.includes(key) || key.startsWith('LC_'));
  return { ...(Object.fromEntries(kept) as Record<string, string>), ...allocatorSettings };
}

/**
 * Covers every descriptor that the shell left open with `empty`. Otherwise the daemon would, for example, keep the lock
 * of `flock 200` for ever. Node sets close-on-exec only for the first 16 or so.
 */
function covered(stdio: (number | 'ignore')[], empty: () => number): StdioOptions {
  for (const fd of inheritable()) {
    while (stdio.length <= fd) stdio.push('ignore');
    stdio[fd] = empty();
  }
  return stdio;
}

/** Room that libuv needs above the highest descriptor that a child is to have. */
const room = 16;

/** Descriptors from 3 on that child processes inherit, as far as the limit lets them be covered. Unknown without /proc. */
function inheritable(): number[] {
  try {
    const limit = /^Max open files +(\d+)/m.exec(readFileSync('/proc/self/limits', 'latin1'))?.[1];
    const most = Number(limit ?? Number.POSITIVE_INFINITY) - room;
    return readdirSync('/proc/self/fd')
      .map(Number)
      .filter((fd) => fd > 2 && fd < most && !closesOnExec(fd));
  } catch {
    return [];
  }
}

function closesOnExec(fd: number): boolean {
  try {
    const [, flags = ''] = /^flags:\s*([0-7]+)/m.exec(readFileSync(`/proc/self/fdinfo/${fd}`, 'latin1')) ?? [];
    return (Number.parseInt(flags, 8) & 0o2000000) !== 0;
  } catch {
    // This was the descriptor of the directory listing.
    return true;
  }
}

function ended(how: string, log: string): NsvError {
  const { reason, output } = lastWords(log);
  return failure('DAEMON_FAILED', { detail: reason ? `${how}: ${reason}` : how }, { output });
}
