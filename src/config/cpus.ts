// How many CPUs this process may really use: not those of the machine, but those that affinity and cgroups leave.
import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join, relative } from 'node:path';
import type { InstanceWish } from './fields.ts';

/** The number of instances that `max`, `-k` or a plain number stands for here; at least 1. */
export function instanceCount(wish: InstanceWish): number {
  if (typeof wish === 'number') return wish;
  return Math.max(1, usableCpus() + (wish === 'max' ? 0 : Number(wish)));
}

/**
 * At least 1. Node's own figure honours the affinity (sched_setaffinity, cpusets) on all its lines, the cgroup quota
 * only on newer ones. A quota of 1.5 CPUs counts as 2, as for the JVM and Go: a lone process could never use the half.
 */
export function usableCpus(): number {
  return Math.max(1, Math.min(availableParallelism(), Math.ceil(quotaCpus())));
}

/** The strictest quota of this process's cgroup and those above it, in CPUs; Infinity where there is none. */
function quotaCpus(): number {
  const directories = cgroupDirectories(read('/proc/self/cgroup'), read('/proc/self/mountinfo'));
  return Math.min(...directories.map(quotaOf), Number.POSITIVE_INFINITY);
}

function quotaOf(directory: string): number {
  const v1 = () => `${read(join(directory, 'cpu.cfs_quota_us'))} ${read(join(directory, 'cpu.cfs_period_us'))}`;
  return parseQuota(read(join(directory, 'cpu.max')) || v1());
}

/** CPUs of "150000 100000" (quota and period, both in us); "max" (v2) and -1 (v1) mean no limit. */
export function parseQuota(text: string): number {
  const [quota = 0, period = 0] = text.trim().split(/\s+/).map(Number);
  return quota > 0 && period > 0 ? quota / period : Number.POSITIVE_INFINITY;
}

/**
 * The directories that may limit the CPU time of a process, its own first, up to where each hierarchy is mounted; from
 * the texts of /proc/self/cgroup (lines of `id:controllers:path`) and /proc/self/mountinfo (proc_pid_mountinfo(5)).
 */
export function cgroupDirectories(cgroups: string, mounts: string): string[] {
  return mounts.split('\n').flatMap((line) => {
    const [before = '', after = ''] = line.split(' - ');
    const [, , , root = '', point = ''] = before.split(' ').map(plain);
    const [type, , options = ''] = after.split(' ');
    const isV1 = type === 'cgroup' && options.split(',').includes('cpu');
    if (!isV1 && type !== 'cgroup2') return [];
    const path = pathOf(cgroups, isV1 ? 'cpu' : '');
    return path === undefined ? [] : upwards(point, below(root, path));
  });
}

function pathOf(cgroups: string, controller: string): string | undefined {
  const lines = cgroups.split('\n').map((line) => /^\d+:([^:]*):(.*)$/.exec(line));
  return lines.find((match) => match?.[1]?.split(',').includes(controller))?.[2];
}

/** Where the mount shows a path; in a container it often shows a part of the tree, of which the path may know nothing. */
function below(root: string, path: string): string {
  const inside = relative(root, path);
  return inside.startsWith('..') ? '' : inside;
}

function upwards(point: string, inside: string): string[] {
  const names = inside.split('/').filter((name) => name !== '');
  return [...names.map((_name, index) => join(point, ...names.slice(0, names.length - index))), point];
}

/** The kernel writes a space as \040, and a few more signs alike. */
function plain(text: string): string {
  return text.replace(/\\([0-7]{3})/g, (_match, digits) => String.fromCharCode(Number.parseInt(digits, 8)));
}

function read(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
