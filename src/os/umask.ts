// Creates files in the name of an app, whose umask is not that of the daemon.

/** The umask of most systems, in octal digits. */
export const usualUmask = '022';

/** Changes the umask only for the synchronous `run`, so nothing else is affected. */
export function withUmask<T>(mask: string, run: () => T): T {
  const own = process.umask(mask);
  try {
    return run();
  } finally {
    process.umask(own);
  }
}
