// How much memory there is to use: that of the machine, or what the cgroups leave of it.
import { totalmem } from 'node:os';
import { memoryLimit } from '../os/cgroup.ts';
import type { SizeOrShare } from './options/parsers.ts';

/** In bytes. */
export function usableMemory(root = '/'): number {
  return Math.min(memoryLimit(root), totalmem());
}

/** In bytes, of what there is to use now. */
export function bytesOf(size: SizeOrShare, root = '/'): number {
  if (typeof size === 'number') return size;
  return Math.round((usableMemory(root) * Number.parseFloat(size)) / 100);
}
