/**
 * For `.catch` of a promise that nobody waits for and that only a bug in nsv can reject: the error becomes an uncaught exception,
 * as if a callback had thrown it. The daemon logs it and ends, `nsv run` logs it and goes on, a command prints it and fails.
 */
export function throwUncaught(error: unknown): void {
  setImmediate(() => {
    throw error;
  });
}
