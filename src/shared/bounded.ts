// At most so many at the same time.

/** `job`, of which no more than `limit` run at once; the others wait for their turn. */
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
