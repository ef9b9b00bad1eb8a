// Whether a debugger may have paused a process by Node's inspector: from outside that looks like `Atomics.wait`.
import { readdirSync } from 'node:fs';
import { listenersOf } from '../ports/listeners.ts';
import { socketsOf } from '../ports/sockets-of.ts';
import { startOf } from '../proc.ts';

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

/** On a port of its own. */
function listensBeside(pid: number, known: ReadonlySet<number>): boolean {
  const others = listenersOf('tcp', pid).filter(({ address }) => !known.has(address.port));
  const sockets = others.length > 0 ? socketsOf(pid) : [];
  return others.some(({ inode }) => sockets.includes(inode));
}
