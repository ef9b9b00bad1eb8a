// Node's inspector in another process: whether it can be opened from outside, without harm and without others getting in, and whether a
// debugger may have paused the process by it.
import { closeSync, constants, fstatSync, lstatSync, openSync, readFileSync, readlinkSync } from 'node:fs';
import { dirname } from 'node:path';
import { listenersOf, socketsOf } from '../ports/listeners.ts';
import { runsAs, startOf, threadsOf } from '../proc.ts';

/** SIGUSR1 in the masks of proc_pid_status(5). */
const signalBit = 1n << 9n;

/**
 * Opens the error log of a process, if it is a file that only this user can read. Throws an error with the reason if it is not: it will
 * contain the address by which anyone could take over the process.
 */
export function openPrivateErrorLog(pid: number): number {
  const link = `/proc/${pid}/fd/2`;
  const own = process.getuid?.() ?? -1;
  if (!runsAs(pid, own)) throw new Error('it runs as another user');
  const fd = openSync(link, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOCTTY);
  try {
    const { uid, mode, nlink } = fstatSync(fd);
    const isFile = (mode & constants.S_IFMT) === constants.S_IFREG;
    if (!isFile) throw new Error('its standard error is not a file');
    const isHidden = (mode & 0o077) === 0 || (nlink === 1 && isBelowPrivate(readlinkSync(link), own));
    if (uid === own && isHidden) return fd;
    throw new Error('other users can read its error log');
  } catch (error) {
    closeSync(fd);
    throw error;
  }
}

/** Whether it has such an error log. */
export function hasPrivateErrorLog(pid: number): boolean {
  try {
    closeSync(openPrivateErrorLog(pid));
    return true;
  } catch {
    return false;
  }
}

/** Whether one of the directories above is closed to others. */
function isBelowPrivate(file: string, own: number): boolean {
  const directory = dirname(file);
  const { uid, mode } = lstatSync(directory);
  if (uid === own && (mode & 0o077) === 0) return true;
  return directory !== '/' && isBelowPrivate(directory, own);
}

/** Whether the process handles SIGUSR1, which ends it otherwise. Node sets its handler up a moment after the start. */
export function handlesDebugSignal(pid: number): boolean {
  const status = readFileSync(`/proc/${pid}/status`, 'latin1');
  const has = (mask: string) => {
    const [, bits = '0'] = new RegExp(`^${mask}:\\s*([0-9a-f]+)$`, 'm').exec(status) ?? [];
    return (BigInt(`0x${bits}`) & signalBit) !== 0n;
  };
  return has('SigCgt') && !has('SigIgn') && !has('SigBlk');
}

/**
 * Whether the process listens on this TCP port. What it logs may be text of its clients, so an address in there says nothing
 * yet.
 */
export function listensOn(pid: number, port: number): boolean {
  const sockets = socketsOf(pid);
  return listenersOf('tcp').some(({ address, inode }) => address.port === port && sockets.includes(inode));
}

/**
 * From outside, a process that is paused looks like one in `Atomics.wait`. `known`: the ports on which it listens as a server, as far as
 * they are known.
 */
export function mayBePaused(pid: number, known: ReadonlySet<number>): boolean {
  const waitsIn = startOf(`/proc/${pid}/wchan`);
  if (/^[a-z]/.test(waitsIn) && !waitsIn.startsWith('futex')) return false;
  const names = threadsOf(pid).map((thread) => startOf(`/proc/${pid}/task/${thread}/comm`).trim());
  // Node names its threads since version 24.
  if (names.some((name) => name.endsWith('V8Worker'))) return names.includes('InspectorIo');
  return listensBeside(pid, known);
}

/** On a port of its own. */
function listensBeside(pid: number, known: ReadonlySet<number>): boolean {
  const others = listenersOf('tcp', pid).filter(({ address }) => !known.has(address.port));
  const sockets = others.length > 0 ? socketsOf(pid) : [];
  return others.some(({ inode }) => sockets.includes(inode));
}
