// When an app is watched for memory that keeps growing.
import type { AppSpec } from './app-spec.ts';

/** So many windows in a row must show the growth. */
export const leakWindows = 12;

/** Milliseconds, for apps whose memory is watched anyway. */
const usualWindow = 5 * 60_000;

/** Milliseconds; 0 for apps that are not watched. */
export function leakWindowOf({
  detectLeaks,
  maxMemoryRestart,
}: Pick<AppSpec, 'detectLeaks' | 'maxMemoryRestart'>): number {
  return detectLeaks ?? (maxMemoryRestart === undefined ? 0 : usualWindow);
}
