// Whether a debugger may have paused a process by Node's inspector: from outside that looks like `Atomics.wait`.
import { readdirSync, readlinkSync } from 'node:fs';
import { beginningOf, startOf } from '../proc.ts';

/** Bytes: sockets that listen come first. */
const searched = 256 * 1024;
/** The state in that table. */
const listening = '0A';

/** `known`: the ports on which it listens as a server, as far as they are known. */
export function mayBePaused(pid: number, known: ReadonlySet<number>): boolean {
  const waitsIn = startOf(`/proc/${pid}/wchan`);
  if (/^[a-z]/.test(waitsIn) && !waitsIn.startsWith('futex')) return false;
  const names = threadNamesOf(pid);
  // Node names its threads since version 24.
  if (names.some((name) => name.endsWith('V8Worker'))) return names.includes('InspectorIo');
  return listensBeside(pid, known);
}

function threadNamesOf(pid: number): string[] {
  try {
    return readdirSync(`/proc/${pid}/task`).map((thread) => startOf(`/proc/${pid}/task/${thread}/comm`).trim());
  } catch {
    return [];
  }
}

/** On a port of its own. https://man7.org/linux/man-pages/man5/proc_net.5.html */
function listensBeside(pid: number, known: ReadonlySet<number>): boolean {
  const sockets = new Set(['tcp', 'tcp6'].flatMap((table) => listenersIn(`/proc/${pid}/net/${table}`, known)));
  return sockets.size > 0 && descriptorsOf(pid).some((link) => sockets.has(link));
}

/** All in the network of the process, whoever has opened them. */
function listenersIn(table: string, known: ReadonlySet<number>): string[] {
  const rows = beginningOf(table, searched)?.toString('latin1').split('\n') ?? [];
  return rows.flatMap((row) => {
    const [, local = '', , state, , , , , , inode] = row.trim().split(/\s+/);
    const port = Number.parseInt(local.split(':')[1] ?? '', 16);
    return state === listening && !known.has(port) ? [`socket:[${inode}]`] : [];
  });
}

function descriptorsOf(pid: number): string[] {
  try {
    return readdirSync(`/proc/${pid}/fd`).flatMap((fd) => linkOf(`/proc/${pid}/fd/${fd}`) ?? []);
  } catch {
    return [];
  }
}

function linkOf(path: string): string | undefined {
  try {
    return readlinkSync(path);
  } catch {
    return undefined;
  }
}
