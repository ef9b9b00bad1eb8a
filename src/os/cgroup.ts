// The CPUs and the memory that this process may use. Its cgroups and their ancestors (v1, v2, or both) may limit them.
// `root` is the directory that contains /proc and /sys.
import { availableParallelism, totalmem } from 'node:os';
import { join, relative } from 'node:path';
import { fileText } from './proc.ts';

/** At least 1. A quota of 1.5 CPUs counts as 2, as in the JVM and Go: a single process could not use the half CPU. */
export function usableCpus(root = '/'): number {
  return Math.max(1, Math.min(allowedCpus(root), Math.ceil(cpuQuota(root))));
}

/**
 * The CPUs that this process may run on (sched_setaffinity, cpusets). Reads /proc where there is one, because
 * `availableParallelism` includes the quota from Node 22.12 on, but rounds it down: 1.5 CPUs would count as 2 with one
 * Node and as 1 with another. The kernel lists absent CPUs as allowed, so the list of online CPUs is read too.
 */
function allowedCpus(root: string): number {
  const allowed = /^Cpus_allowed_list:(.*)$/m.exec(fileText(join(root, 'proc/self/status')))?.[1];
  const counts = [allowed, fileText(join(root, 'sys/devices/system/cpu/online'))]
    .map(countCpus)
    .filter((count) => count > 0);
  return counts.length > 0 ? Math.min(...counts) : availableParallelism();
}

/** 6 for "0-3,8,10"; 0 for empty text. */
function countCpus(list = ''): number {
  const ranges = list.split(',').map((range) => /^\s*(\d+)(?:-(\d+))?\s*$/.exec(range));
  return ranges.reduce((sum, range) => (range ? sum + Number(range[2] ?? range[1]) - Number(range[1]) + 1 : sum), 0);
}

/** CPUs; Infinity if there is no limit. */
export function cpuQuota(root = '/'): number {
  return strictest('cpu', root, (text) => {
    const v1 = () => `${text('cpu.cfs_quota_us')} ${text('cpu.cfs_period_us')}`;
    return parseQuota(text('cpu.max') || v1());
  });
}

/** Bytes: the memory of the machine, or the limit. */
export function usableMemory(root = '/'): number {
  return Math.min(memoryLimit(root), totalmem());
}

/** Bytes; Infinity if there is no limit. */
export function memoryLimit(root = '/'): number {
  return strictest('memory', root, (text) => parseLimit(text('memory.max') || text('memory.limit_in_bytes')));
}

/** Converts "150000 100000" (quota and period in µs) to CPUs; "max" (v2) and -1 (v1) mean no limit. */
export function parseQuota(text: string): number {
  const [quota = 0, period = 0] = text.trim().split(/\s+/).map(Number);
  return quota > 0 && period > 0 ? quota / period : Number.POSITIVE_INFINITY;
}

/** "max" (v2) means no limit; v1 writes a number larger than the memory of any machine. */
function parseLimit(text: string): number {
  const bytes = Number(text.trim() || 'max');
  return Number.isNaN(bytes) ? Number.POSITIVE_INFINITY : bytes;
}

/** The smallest limit of all cgroups above this process. `limitIn` gets a reader for the files of one directory. */
function strictest(controller: string, root: string, limitIn: (text: (file: string) => string) => number): number {
  const at = (...names: string[]) => fileText(join(root, ...names));
  const directories = cgroupDirectories(controller, at('proc/self/cgroup'), at('proc/self/mountinfo'));
  const limits = directories.map((directory) => limitIn((file) => at(directory, file)));
  return Math.min(...limits, Number.POSITIVE_INFINITY);
}

/**
 * Returns the directories whose limits apply to a process, for one v1 controller or for v2: its own cgroup first, then
 * the ancestors up to the mount point of each hierarchy. Parses /proc/self/cgroup (lines of `id:controllers:path`) and
 * /proc/self/mountinfo (proc_pid_mountinfo(5)).
 */
export function cgroupDirectories(controller: string, cgroups: string, mounts: string): string[] {
  return mounts.split('\n').flatMap((line) => {
    const [before = '', after = ''] = line.split(' - ');
    const [, , , root = '', point = ''] = before.split(' ').map(plain);
    const [type, , options = ''] = after.split(' ');
    const isV1 = type === 'cgroup' && options.split(',').includes(controller);
    if (!isV1 && type !== 'cgroup2') return [];
    const path = pathOf(cgroups, isV1 ? controller : '');
    return path === undefined ? [] : upwards(point, below(root, path));
  });
}

function pathOf(cgroups: string, controller: string): string | undefined {
  const lines = cgroups.split('\n').map((line) => /^\d+:([^:]*):(.*)$/.exec(line));
  return lines.find((match) => match?.[1]?.split(',').includes(controller))?.[2];
}

/** Path below the mount point. In a container the mount often shows part of the tree, and `path` may lie outside. */
function below(root: string, path: string): string {
  const inside = relative(root, path);
  return inside.startsWith('..') ? '' : inside;
}

function upwards(point: string, inside: string): string[] {
  const names = inside.split('/').filter((name) => name !== '');
  return [...names.map((_name, index) => join(point, ...names.slice(0, names.length - index))), point];
}

/** Decodes the kernel's octal escapes, such as \040 for a space. */
function plain(text: string): string {
  return text.replace(/\\([0-7]{3})/g, (_match, digits) => String.fromCharCode(Number.parseInt(digits, 8)));
}
