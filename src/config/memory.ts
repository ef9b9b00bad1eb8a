// The amount of usable memory: that of the machine, or the limit of the cgroups.
import { totalmem } from 'node:os';
import { memoryLimit } from '../os/cgroup.ts';
import type { SizeOrShare } from './options/parsers.ts';

/** In bytes. */
export function usableMemory(root = '/'): number {
  return Math.min(memoryLimit(root), totalmem());
}

/** In bytes; a percentage refers to the memory usable now. */
export function bytesOf(size: SizeOrShare, root = '/'): number {
  if (typeof size === 'number') return size;
  return Math.round((usableMemory(root) * Number.parseFloat(size)) / 100);
}
