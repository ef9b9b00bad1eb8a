// One cgroup per app that has limits, with one below it per process: the kernel keeps the limits, and knows all descendants.
import { existsSync, mkdirSync, rmdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { textOf } from '../proc.ts';
import { findDelegation, passOn } from './delegation.ts';

/** For all processes of an app together. */
export interface Limits {
  /** Cores. */
  cpu?: number | undefined;
  /** Bytes. */
  memory?: number | undefined;
  /** Processes and threads. */
  pids?: number | undefined;
}

export interface AppCgroups {
  /**
   * The directory of a cgroup for a process of the app, which has to move there itself: the limits of the app apply from then
   * on. `token` names the process. Throws an Error that says what is wrong.
   */
  prepare(app: string, limits: Limits, token: string): string;
  /** The directory that an earlier daemon has prepared; undefined if there is none. */
  find(app: string, token: string): string | undefined;
}

/** Microseconds in which an app may use its share of the CPU: the kernel's default. */
const period = 100_000;

/** Looks for the delegated cgroup only when the first app with limits starts. */
export function createAppCgroups(root = '/'): AppCgroups {
  let base: string | undefined;
  const directoryOf = (app: string) => {
    base ??= findDelegation(root);
    return join(base, `app-${encodeURIComponent(app)}`);
  };
  return {
    prepare(app, limits, token) {
      const directory = directoryOf(app);
      passOn(dirname(directory), controllersOf(limits));
      const own = join(directory, token);
      mkdirSync(own, { recursive: true });
      for (const [file, text] of filesOf(limits)) {
        if (isChanged(directory, file, text)) writeFileSync(join(directory, file), text);
      }
      return own;
    },
    find(app, token) {
      try {
        const own = join(directoryOf(app), token);
        return existsSync(own) ? own : undefined;
      } catch {
        return undefined;
      }
    },
  };
}

function controllersOf({ cpu, memory, pids }: Limits): string[] {
  return [cpu && 'cpu', memory && 'memory', pids && 'pids'].filter((name) => typeof name === 'string');
}

/** A limit that the app no longer has is lifted. */
function filesOf({ cpu, memory, pids }: Limits): [file: string, text: string][] {
  return [
    ['cpu.max', cpu === undefined ? `max ${period}` : `${Math.round(cpu * period)} ${period}`],
    ['memory.max', String(memory ?? 'max')],
    ['pids.max', String(pids ?? 'max')],
  ];
}

/** Without the controller there is no file, and no limit to lift. */
function isChanged(directory: string, file: string, text: string): boolean {
  const now = textOf(join(directory, file)).trim();
  return now !== text && !(now === '' && text.startsWith('max'));
}

/** The pids in a cgroup. */
export function processesIn(directory: string): number[] {
  return textOf(join(directory, 'cgroup.procs')).split('\n').filter(Boolean).map(Number);
}

/** Kills all processes in a cgroup at once (Linux 5.14), so that none can fork away. */
export function killAllIn(directory: string): void {
  try {
    writeFileSync(join(directory, 'cgroup.kill'), '1', { flag: 'r+' });
  } catch {
    // It is gone, or the kernel is older: the processes are killed one by one.
  }
}

/** Removes the cgroup of a process that is gone, and that of its app if it was the last one. */
export function removeCgroup(directory: string): void {
  for (const each of [directory, dirname(directory)]) {
    try {
      rmdirSync(each);
    } catch {
      // It is in use, or gone.
      return;
    }
  }
}
