// What the cgroups of this process, and those above them, leave it of CPU time and memory: v1, v2, or some of each.
// `root` is where /proc and /sys are to be found.
import { readFileSync } from 'node:fs';
import { join, relative } from 'node:path';

/** In CPUs; Infinity where there is no limit. */
export function cpuQuota(root = '/'): number {
  return strictest('cpu', root, (text) => {
    const v1 = () => `${text('cpu.cfs_quota_us')} ${text('cpu.cfs_period_us')}`;
    return parseQuota(text('cpu.max') || v1());
  });
}

/** In bytes; Infinity where there is no limit. */
export function memoryLimit(root = '/'): number {
  return strictest('memory', root, (text) => parseLimit(text('memory.max') || text('memory.limit_in_bytes')));
}

/** CPUs of "150000 100000" (quota and period, both in us); "max" (v2) and -1 (v1) mean no limit. */
export function parseQuota(text: string): number {
  const [quota = 0, period = 0] = text.trim().split(/\s+/).map(Number);
  return quota > 0 && period > 0 ? quota / period : Number.POSITIVE_INFINITY;
}

/** "max" (v2) means no limit; v1 has a number for that which no machine reaches. */
function parseLimit(text: string): number {
  const bytes = Number(text.trim() || 'max');
  return Number.isNaN(bytes) ? Number.POSITIVE_INFINITY : bytes;
}

/** `limitIn` is given what reads the files of one directory. */
function strictest(controller: string, root: string, limitIn: (text: (file: string) => string) => number): number {
  const at = (...names: string[]) => kernelText(join(root, ...names));
  const directories = cgroupDirectories(controller, at('proc/self/cgroup'), at('proc/self/mountinfo'));
  const limits = directories.map((directory) => limitIn((file) => at(directory, file)));
  return Math.min(...limits, Number.POSITIVE_INFINITY);
}

/**
 * The directories that may limit what a process gets of a v1 controller or of v2, its own first, up to where each
 * hierarchy is mounted; from the texts of /proc/self/cgroup (lines of `id:controllers:path`) and /proc/self/mountinfo
 * (proc_pid_mountinfo(5)).
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

/** What a file of /proc or /sys says; empty where there is none. */
export function kernelText(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
