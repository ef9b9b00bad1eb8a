// Limits how many jobs run at the same time.

/** Wraps `job` so that at most `limit` calls run at once; further calls wait for their turn. */
export function bounded<A extends unknown[], R>(
  limit: number,
  job: (...args: A) => Promise<R>,
): (...args: A) => Promise<R> {
  let running = 0;
  const waiting: (() => void)[] = [];
  return async (...args) => {
    if (running >= limit) await new Promise<void>((resolve) => waiting.push(resolve));
    running += 1;
    try {
      return await job(...args);
    } finally {
      running -= 1;
      waiting.shift()?.();
    }
  };
}
