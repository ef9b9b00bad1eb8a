/**
 * For `.catch` of a promise that nobody awaits and that only a bug in nsv can reject. The error becomes an uncaught
 * exception, as if thrown by a callback: the daemon logs it and exits, `nsv run` logs it and continues, a command
 * prints it and fails.
 */
export function throwUncaught(error: unknown): void {
  setImmediate(() => {
    throw error;
  });
}
