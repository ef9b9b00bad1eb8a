// Promises that are settled from outside, all awaited, or begun one by one or a few at a time.

/** A promise, and what resolves it. */
export function deferred<T = void>(): { promise: Promise<T>; resolve(value: T): void } {
  let resolve = (_value: T) => {};
  const promise = new Promise<T>((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}

/** Waits until all have settled, then throws the first failure. */
export async function settled<T>(promises: readonly Promise<T>[]): Promise<T[]> {
  await Promise.allSettled(promises);
  return Promise.all(promises);
}

/** Returns what runs jobs one after another, also after one that has failed. */
export function oneByOne(): <T>(job: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve();
  return (job) => {
    const done = last.then(job);
    last = done.catch(() => {});
    return done;
  };
}

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
