// The path of the pid file of an instance, for apps with `pid_file`. Pure.

/**
 * `web.pid` or `web-0.pid`, then `web-1.pid`, `web-2.pid`: the path of a slot does not depend on the number of instances.
 */
export function pidFileOf(named: string, slot: number): string {
  if (slot === 0) return named;
  return named.replace(/(?:-0)?(\.[^./]*)?$/, (_, extension = '') => `-${slot}${extension}`);
}

/** PM2 numbers the file of the first instance too. */
export function numberedPidFile(named: string): string {
  return named.replace(/(\.[^./]*)?$/, (extension) => `-0${extension}`);
}
