// Durations that users give.

/** The longest that a timer of Node can be. */
const longest = 0x7fffffff;

/** Throws a TypeError for what is no number of milliseconds above 0. */
export function durationOf(name: string, value: unknown): number {
  if (typeof value === 'number' && value > 0) return Math.min(value, longest);
  throw new TypeError(`"${name}" must be a number of milliseconds above 0, not ${String(value)}`);
}
