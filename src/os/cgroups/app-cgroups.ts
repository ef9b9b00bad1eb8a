// One cgroup per app that has limits, with one below it per process: the kernel keeps the limits, and knows all descendants. All are in one
// (version 2) in which this process may make others: https://docs.kernel.org/admin-guide/cgroup-v2.html
import { accessSync, constants, existsSync, mkdirSync, rmdirSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { detailOf } from '../../shared/errors.ts';
import { cgroupDirectories } from '../cgroup.ts';
import { fileText } from '../proc.ts';

/** For all processes of an app together. */
export interface CgroupLimits {
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
  prepare(app: string, limits: CgroupLimits, token: string): string;
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

function controllersOf({ cpu, memory, pids }: CgroupLimits): string[] {
  return [cpu && 'cpu', memory && 'memory', pids && 'pids'].filter((name) => typeof name === 'string');
}

/** A limit that the app no longer has is lifted. */
function filesOf({ cpu, memory, pids }: CgroupLimits): [file: string, text: string][] {
  return [
    ['cpu.max', cpu === undefined ? `max ${period}` : `${Math.round(cpu * period)} ${period}`],
    ['memory.max', String(memory ?? 'max')],
    ['pids.max', String(pids ?? 'max')],
  ];
}

/** Without the controller there is no file, and no limit to lift. */
function isChanged(directory: string, file: string, text: string): boolean {
  const now = fileText(join(directory, file)).trim();
  return now !== text && !(now === '' && text.startsWith('max'));
}

/** The pids in a cgroup. */
export function processesIn(directory: string): number[] {
  return fileText(join(directory, 'cgroup.procs')).split('\n').filter(Boolean).map(Number);
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

/**
 * The daemon and all apps without limits are in a cgroup of this name, because a cgroup that passes controllers on must have no
 * processes of its own. The unit of systemd starts the daemon there (DelegateSubgroup).
 */
export const daemonLeaf = 'nsv-daemon';

/**
 * The directory of that cgroup. Throws an Error that says what is missing. Being able to write is no proof: root may write to what
 * systemd manages, and users to what their own systemd manages. `root`: the directory that contains /proc and /sys. `pid`: that
 * of the daemon, if it is another process.
 */
export function findDelegation(root = '/', pid?: number): string {
  const at = (...names: string[]) => fileText(join(root, ...names));
  const mounts = at('proc/self/mountinfo');
  const [own] = cgroupDirectories('', at(`proc/${pid ?? 'self'}/cgroup`), mounts);
  if (own === undefined) throw new Error('no cgroups of version 2 are mounted');
  if (basename(own) === daemonLeaf) return writable(join(root, dirname(own)));
  // A container has the root of its namespace to itself. That of the machine has no such file.
  if (own === mountPointOf(mounts) && at(own, 'cgroup.events') !== '') return writable(join(root, own));
  throw new Error(`the daemon is in the cgroup ${own}, and not in one that is called "${daemonLeaf}"`);
}

function mountPointOf(mounts: string): string | undefined {
  return mounts
    .split('\n')
    .find((line) => line.includes(' - cgroup2 '))
    ?.split(' ')[4];
}

function writable(directory: string): string {
  for (const file of ['', 'cgroup.procs', 'cgroup.subtree_control']) {
    try {
      accessSync(join(directory, file), constants.W_OK);
    } catch (error) {
      throw new Error(`the cgroup ${directory} is not delegated to this user: ${detailOf(error)}`);
    }
  }
  return directory;
}

/** Processes may fork while others are moved. */
const mostRounds = 10;

/** Passes controllers on to the cgroups below, after all processes have left it. Throws an Error that says what is wrong. */
function passOn(directory: string, controllers: readonly string[]): void {
  const words = (file: string) => fileText(join(directory, file)).split(/\s+/).filter(Boolean);
  const missing = controllers.filter((name) => !words('cgroup.controllers').includes(name));
  if (missing.length > 0) throw new Error(`the cgroup ${directory} has no controller for ${missing.join(', ')}`);
  const due = controllers.filter((name) => !words('cgroup.subtree_control').includes(name));
  if (due.length === 0) return;
  const leaf = join(directory, daemonLeaf);
  mkdirSync(leaf, { recursive: true });
  for (let round = 0; round < mostRounds && words('cgroup.procs').length > 0; round += 1) {
    for (const pid of words('cgroup.procs')) move(pid, leaf);
  }
  writeFileSync(join(directory, 'cgroup.subtree_control'), due.map((name) => `+${name}`).join(' '));
}

function move(pid: string, directory: string): void {
  try {
    writeFileSync(join(directory, 'cgroup.procs'), pid);
  } catch (error) {
    // It has ended.
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}
