// The daemon as a process of its own: detached, with nothing of the shell that happened to need it first.
import { type ChildProcess, type StdioOptions, spawn } from 'node:child_process';
import { closeSync, existsSync, openSync, readdirSync, readFileSync } from 'node:fs';
import { constants } from 'node:os';
import { allocatorSettings } from '../os/allocator.ts';
import { detailOf, failure, type NsvError } from '../shared/errors.ts';
import { lastWords } from '../shared/launch-log.ts';
import { type HomePaths, installed } from '../shared/paths.ts';

/**
 * Flags of V8 for the daemon that it reads as it starts; the others are in daemon/upkeep/v8-flags.ts. A small young generation, since
 * garbage is all that a crash loop makes, and no collections of V8's own while nothing happens: daemon/upkeep/idle-gc.ts has its own.
 */
export const daemonFlags: readonly string[] = ['--max-semi-space-size=1', '--no-memory-reducer'];

/** What the daemon takes over from its first shell. Apps get the environment of the shell that started *them*. */
const inherited = [
  'PATH', // finds interpreters, and what --on-giveup runs
  'HOME', // what --on-giveup runs expects these four
  'USER',
  'LOGNAME',
  'SHELL',
  'TMPDIR', // temporary files go where the user wants them
  'TZ', // cron patterns are in the user's time
  'LANG', // what --on-giveup runs prints in the user's language
  'NSV_NODE', // the Node that bin/nsv runs
  'NSV_LOGS_MAX', // a limit of this home: src/config/environment.ts
];

const isGuarded = existsSync(installed.guard);

export interface DaemonProcess {
  /** Throws DAEMON_FAILED once it has ended with an error. One that ended well has met another daemon. */
  check(): void;
  /** For one that does not come to serve: with its lock it would be in the way of the next. */
  kill(): void;
}

/** Starts the daemon's program `main` with Node. Throws DAEMON_FAILED when not even that is possible. */
export function spawnDaemon(paths: HomePaths, main: string): DaemonProcess {
  // A file, not a pipe: what the daemon says in its last moment, however late, finds a reader.
  const child = spawnInto(paths, main);
  child.unref();
  let problem: NsvError | undefined;
  child.once('error', (cause) => {
    problem = failure('DAEMON_FAILED', { detail: cause.message }, { cause });
  });
  child.once('exit', (code, signal) => {
    const cause = signal ?? signalOf(code);
    if (code !== 0)
      problem = ended(cause ? `it was ended by ${cause}` : `it ended with exit code ${code}`, paths.launchLog);
  });
  return {
    check() {
      if (problem) throw problem;
    },
    // The guard makes it a SIGKILL for the daemon, and ends with it.
    kill: () => void child.kill(isGuarded ? 'SIGUSR1' : 'SIGKILL'),
  };
}

function spawnInto({ home, launchLog }: HomePaths, main: string): ChildProcess {
  const open: number[] = [];
  const opened = (file: string, flags: string) => {
    const fd = openSync(file, flags, 0o600);
    open.push(fd);
    return fd;
  };
  try {
    const stdio = covered(['ignore', 'ignore', opened(launchLog, 'w')], () => opened('/dev/null', 'r'));
    const env = { ...daemonEnvironment(process.env), NSV_HOME: home };
    const [program, ...words] = daemonCommand(main);
    return spawn(program, words, { detached: true, cwd: '/', env, stdio });
  } catch (cause) {
    throw failure('DAEMON_FAILED', { detail: detailOf(cause) }, { cause });
  } finally {
    for (const fd of open) closeSync(fd);
  }
}

/** As a shell, here the guard, reports it. */
function signalOf(code: number | null): string | undefined {
  return Object.entries(constants.signals).find(([, number]) => code === 128 + number)?.[0];
}

/** Under a shell that starts the daemon again when it dies, where the package has it. */
export function daemonCommand(main: string): [string, ...string[]] {
  const command: [string, ...string[]] = [process.execPath, ...daemonFlags, main];
  return isGuarded ? ['/bin/sh', installed.guard, ...command] : command;
}

export function daemonEnvironment(ours: NodeJS.ProcessEnv): Record<string, string> {
  const kept = Object.entries(ours).filter(([key]) => inherited.includes(key) || key.startsWith('LC_'));
  return { ...(Object.fromEntries(kept) as Record<string, string>), ...allocatorSettings };
}

/**
 * Puts `empty` in the place of every descriptor that the shell has left open for us: a daemon that held one would, for
 * one thing, keep the lock of `flock 200` for ever. Node itself marks only the first 16 or so as not to be inherited.
 */
function covered(stdio: (number | 'ignore')[], empty: () => number): StdioOptions {
  for (const fd of inheritable()) {
    while (stdio.length <= fd) stdio.push('ignore');
    stdio[fd] = empty();
  }
  return stdio;
}

/** From 3 on. Without /proc, nothing is known of them. */
function inheritable(): number[] {
  try {
    return readdirSync('/proc/self/fd')
      .map(Number)
      .filter((fd) => fd > 2 && !closesOnExec(fd));
  } catch {
    return [];
  }
}

function closesOnExec(fd: number): boolean {
  try {
    const [, flags = ''] = /^flags:\s*([0-7]+)/m.exec(readFileSync(`/proc/self/fdinfo/${fd}`, 'latin1')) ?? [];
    return (Number.parseInt(flags, 8) & 0o2000000) !== 0;
  } catch {
    // It was that of the directory listing.
    return true;
  }
}

function ended(how: string, log: string): NsvError {
  const { reason, output } = lastWords(log);
  return failure('DAEMON_FAILED', { detail: reason ? `${how}: ${reason}` : how }, { output });
}
