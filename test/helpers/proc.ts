// What the kernel says of a process that may end at any moment, also between two looks.
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';

/** ESRCH: it ended after the file was opened. EACCES: it belongs to somebody else, or is about to change its user. */
const unreadable = ['ENOENT', 'ESRCH', 'EACCES'];

/** The text of `/proc/<pid>/<name>`; undefined if there is no such process, or no longer. */
export function procFile(pid: number | string, name: string): string | undefined {
  try {
    return readFileSync(`/proc/${pid}/${name}`, 'utf8');
  } catch (error) {
    if (unreadable.includes((error as NodeJS.ErrnoException).code!)) return undefined;
    throw error;
  }
}

/** Kills a child. Resolves when it has exited: until then it may make another file where a test wants to remove all. */
export async function endChild(child: ChildProcess): Promise<void> {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  child.kill('SIGKILL');
  await exited;
}

/** By this process, from files and whatever else. */
export function bytesRead(): number {
  return Number(/^rchar: (\d+)/.exec(readFileSync('/proc/self/io', 'utf8'))![1]);
}
