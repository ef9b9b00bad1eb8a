// Finds the cgroup (version 2) in which this process may make others: https://docs.kernel.org/admin-guide/cgroup-v2.html
import { accessSync, constants, mkdirSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { detailOf } from '../../shared/errors.ts';
import { cgroupDirectories } from '../cgroup.ts';
import { textOf } from '../proc.ts';

/**
 * The daemon and all apps without limits are in a cgroup of this name, because a cgroup that passes controllers on must have no
 * processes of its own. The unit of systemd starts the daemon there (DelegateSubgroup).
 */
export const daemonLeaf = 'nsv-daemon';

/**
 * The directory of that cgroup. Throws an Error that says what is missing. Being able to write is no proof: root may write to what
 * systemd manages, and users to what their own systemd manages. `root`: the directory that contains /proc and /sys.
 */
export function findDelegation(root = '/'): string {
  const at = (...names: string[]) => textOf(join(root, ...names));
  const mounts = at('proc/self/mountinfo');
  const [own] = cgroupDirectories('', at('proc/self/cgroup'), mounts);
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
export function passOn(directory: string, controllers: readonly string[]): void {
  const words = (file: string) => textOf(join(directory, file)).split(/\s+/).filter(Boolean);
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
