// When an app uses too much memory, or more and more.
import { usableMemory } from '../os/cgroup.ts';
import type { AppSpec } from './app-spec.ts';
import type { SizeOrShare } from './options/parsers.ts';

/** In bytes; a percentage refers to the memory usable now. */
export function bytesOf(size: SizeOrShare, root = '/'): number {
  if (typeof size === 'number') return size;
  return Math.round((usableMemory(root) * Number.parseFloat(size)) / 100);
}

/** Milliseconds, for apps whose memory is watched anyway. */
const usualWindow = 5 * 60_000;

/** Milliseconds; 0 for apps that are not watched. */
export function leakWindowOf({
  detectLeaks,
  maxMemoryRestart,
}: Pick<AppSpec, 'detectLeaks' | 'maxMemoryRestart'>): number {
  return detectLeaks ?? (maxMemoryRestart === undefined ? 0 : usualWindow);
}
