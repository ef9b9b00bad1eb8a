// Creates files in the name of an app, whose umask is not that of the daemon.

/** The umask of most systems, in octal digits. */
export const usualUmask = '022';

/** The mask that is set at the moment by `withUmask`. */
let current: string | undefined;

/** Changes the umask only for the synchronous `run`, so nothing else is affected. Calls may be nested. */
export function withUmask<T>(mask: string, run: () => T): T {
  if (mask === current) return run();
  const [outer, own] = [current, process.umask(mask)];
  current = mask;
  try {
    return run();
  } finally {
    process.umask(own);
    current = outer;
  }
}
