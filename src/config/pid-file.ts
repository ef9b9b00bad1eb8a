// Which file the pid of an instance is kept in, where `pid_file` asks for one. Pure.

/** `web.pid`, then `web-1.pid`, `web-2.pid`: which file is whose does not depend on the number of instances. */
export function pidFileOf(named: string, slot: number): string {
  return slot === 0 ? named : named.replace(/(\.[^./]*)?$/, (extension) => `-${slot}${extension}`);
}
