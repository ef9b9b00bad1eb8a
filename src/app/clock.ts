// The time, as the app has it: with fake timers in its tests, these are fake too.

/** Milliseconds that only ever grow. */
export function now(): number {
  return performance.now();
}

/** Milliseconds since 1970. */
export function wall(): number {
  return Date.now();
}

/** Resolves with what the promise does, or with `late` after so many milliseconds, which keep the process alive. */
export async function within<T, L>(ms: number, promise: Promise<T>, late: L): Promise<T | L> {
  let timer: NodeJS.Timeout | undefined;
  const isOver = new Promise<L>((resolve) => {
    timer = setTimeout(resolve, ms, late);
  });
  try {
    return await Promise.race([promise, isOver]);
  } finally {
    clearTimeout(timer);
  }
}

/** `isWaitedFor`: whether it keeps the process alive. */
export function wait(ms: number, { isWaitedFor = true } = {}): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    if (!isWaitedFor) timer.unref();
  });
}

/** The longest that a timer of Node can be. */
const longest = 0x7fffffff;

/** Throws a TypeError for what is no number of milliseconds above 0. */
export function durationOf(name: string, value: unknown): number {
  if (typeof value === 'number' && value > 0) return Math.min(value, longest);
  throw new TypeError(`"${name}" must be a number of milliseconds above 0, not ${String(value)}`);
}
