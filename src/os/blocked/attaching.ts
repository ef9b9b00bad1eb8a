// Whether Node's inspector can be opened in a process from outside, without harm and without others getting in.
import { closeSync, constants, fstatSync, lstatSync, openSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { dirname } from 'node:path';
import { runsAs } from '../proc.ts';

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
  const sockets = new Set(readdirSync(`/proc/${pid}/fd`).map((fd) => linkIn(`/proc/${pid}/fd/${fd}`)));
  return readFileSync('/proc/net/tcp', 'latin1')
    .split('\n')
    .some((line) => {
      // proc_net_tcp: the number, the local and the remote address, the state; the tenth field is the inode.
      const fields = line.trim().split(/\s+/);
      const [, local = '', , state] = fields;
      return (
        state === listening &&
        Number.parseInt(local.split(':')[1]!, 16) === port &&
        sockets.has(`socket:[${fields[9]}]`)
      );
    });
}

/** TCP_LISTEN. */
const listening = '0A';

/** Empty if it is gone. */
function linkIn(link: string): string {
  try {
    return readlinkSync(link);
  } catch {
    return '';
  }
}
