// Finds descendants of a process that have left its session and lost their parents, as classic daemons do (a double fork
// with setsid). They inherit a variable, and the kernel shows the environment that a process was started with.
//
// A process that sets the variable itself is taken for a descendant, and is stopped with the others: it harms only itself.
import { existsSync, openSync, readdirSync, readSync } from 'node:fs';
import { treeVariable } from './own-variables.ts';
import { readStat, runsAs, type Stat, startOf, variableOfProcess } from './proc.ts';

export interface TreeMark {
  /** The value of the variable. Nobody can guess it. */
  readonly token: string;
  /**
   * The user that a descendant has to run as, if the program runs as another user than the daemon. That user could run a
   * setuid program of somebody else with the variable, which the daemon must not kill.
   */
  readonly uid?: number | undefined;
}

/** Tokens of processes by pid, so that each environment is read once. A process cannot lose its token, except by exec. */
const known = new Map<number, { startTime: number; token: string | undefined }>();

function tokenOf({ pid, startTime }: Stat): string | undefined {
  const earlier = known.get(pid);
  if (earlier?.startTime === startTime) return earlier.token;
  const token = readToken(pid);
  known.set(pid, { startTime, token });
  return token;
}

/** Longer ones are not kept, because a user can set any. */
const longestToken = 64;

function readToken(pid: number): string | undefined {
  const token = variableOfProcess(pid, treeVariable);
  return token === undefined || token.length > longestToken ? undefined : token;
}

/** Tokens, each with a process of `stats` that carries it. `all`: how many processes there are, to tell when to forget those that are gone. */
export function* tokensOf(stats: readonly Stat[], all: number): Generator<[string, Stat]> {
  if (known.size > all * 2) known.clear();
  for (const stat of stats) {
    const token = stat.alive ? tokenOf(stat) : undefined;
    if (token !== undefined) yield [token, stat];
  }
}

/**
 * Whether a process carries the mark. Reads it again: a client that launches a daemon has its own variable until exec,
 * and the daemon then has none.
 */
export function isMarked({ pid }: Stat, { token, uid }: TreeMark): boolean {
  return readToken(pid) === token && (uid === undefined || runsAs(pid, uid));
}

/** Fewer pids than this are looked up faster one by one than listed. */
const fewPids = 16;
/** More than a kernel creates per second. */
const mostForks = 20_000;

/** The highest pid, after which the kernel begins again with low ones; 0 if it cannot be read. */
let highest: number | undefined;

/**
 * The processes that were started after this one, if that was a moment ago (`age` in milliseconds). The kernel gives out
 * pids in ascending order, so only higher ones have to be read, which keeps a crash loop cheap. Undefined if the kernel
 * may have begun again with low ones since, so that all processes have to be read.
 */
export function startedSince(pid: number, age: number): Stat[] | undefined {
  const last = lastPid();
  if (last === undefined || last < pid) return undefined;
  highest ??= Number(startOf('/proc/sys/kernel/pid_max'));
  if ((age / 1000) * mostForks > highest) return undefined;
  return (last - pid > fewPids ? pidsAbove(pid) : pidsUpTo(last, pid)).flatMap((next) => readStat(next) ?? []);
}

/** Most of them are gone, and a look is a fifth of a failed read. */
function pidsUpTo(last: number, pid: number): number[] {
  const pids = Array.from({ length: last - pid }, (_, index) => pid + 1 + index);
  return pids.filter((next) => existsSync(`/proc/${next}`));
}

function pidsAbove(pid: number): number[] {
  return readdirSync('/proc')
    .map(Number)
    .filter((next) => next > pid);
}

const buffer = Buffer.alloc(16);
/** Stays open, because a crash loop reads it at each exit. */
let lastPidFile: number | undefined;

/** The pid that the kernel has given out last in this pid namespace; undefined if it cannot be read. */
function lastPid(): number | undefined {
  try {
    lastPidFile ??= openSync('/proc/sys/kernel/ns_last_pid', 'r');
    return Number(buffer.toString('latin1', 0, readSync(lastPidFile, buffer, 0, buffer.length, 0)));
  } catch {
    return undefined;
  }
}
