// When an app uses too much memory, or more and more.
import { usableMemory } from '../os/cgroup.ts';
import type { AppSettings, AppSpec } from './app-spec.ts';
import type { SizeOrShare } from './options/parsers.ts';

/** In bytes; a percentage refers to the memory usable now. */
export function bytesOf(size: SizeOrShare, root = '/'): number {
  if (typeof size === 'number') return size;
  return Math.round((usableMemory(root) * Number.parseFloat(size)) / 100);
}

/** Bytes. No program needs less: the unit is missing. */
const leastLimit = 1024 ** 2;

/** What is wrong with a limit that every process exceeds; undefined if nothing is. */
export function tooLittleMemory({
  maxMemoryRestart: limit,
}: Pick<AppSettings, 'maxMemoryRestart'>): string | undefined {
  if (typeof limit !== 'number' || limit >= leastLimit) return undefined;
  return `max_memory_restart is ${limit} bytes, which every process exceeds: did you mean ${limit}M?`;
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
