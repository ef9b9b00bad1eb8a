// How much memory there is to use: that of the machine, or what the cgroups leave of it.
import { totalmem } from 'node:os';
import { memoryLimit } from './cgroup.ts';

/** In bytes. */
export function usableMemory(root = '/'): number {
  return Math.min(memoryLimit(root), totalmem());
}
