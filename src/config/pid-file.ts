// The path of the pid file of an instance, for apps with `pid_file`. Pure.

/** `web.pid`, then `web-1.pid`, `web-2.pid`: the path of a slot does not depend on the number of instances. */
export function pidFileOf(named: string, slot: number): string {
  return slot === 0 ? named : named.replace(/(\.[^./]*)?$/, (extension) => `-${slot}${extension}`);
}
