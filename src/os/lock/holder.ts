// Who holds a lock: the text of a claim, and whether its place is this machine.
import { hostname } from 'node:os';
import { fileText, type Identity, startTimeOf, whereabouts } from '../proc.ts';

export interface LockHolder {
  /** The file name of the socket on which the holder listens. */
  socket: string;
  /** The beginnings of the machine's ID (machine-id(5)) and the boot ID; empty if unknown. */
  machine: string;
  boot: string;
  /** The shell that restarts the holder, if any. It belongs to the pid namespace of the holder. */
  guard?: Identity;
  /** For people. */
  host: string;
}

/** `guard`: the pid of the shell that restarts this process. */
export function holderHere(socket: string, guard: number | undefined): LockHolder {
  const startTime = guard === undefined ? undefined : startTimeOf(guard);
  const identity = guard !== undefined && startTime !== undefined && { guard: { pid: guard, startTime } };
  return { socket, ...here(), ...identity, host: hostname() };
}

/**
 * The host's name comes last, cut so that the text has fewer than 60 bytes: file systems keep a link as short as that
 * in its inode.
 */
export function renderHolder({ socket, machine, boot, guard, host }: LockHolder): string {
  const text = [socket, machine, boot, guard?.pid ?? '', guard?.startTime ?? '', ''].join(':');
  return text + host.replace(/[^\w.-]/g, '').slice(0, Math.max(0, 59 - text.length));
}

/** Undefined if the text names no holder. */
export function parseHolder(text: string): LockHolder | undefined {
  const match = /^(\w{1,8}\.sock):([0-9a-f]{0,8}):([0-9a-f]{0,8}):(\d*):(\d*):([\w.-]*)$/.exec(text);
  if (!match) return undefined;
  const [, socket = '', machine = '', boot = '', pid, startTime, host = ''] = match;
  const guard = pid && startTime ? { guard: { pid: Number(pid), startTime: Number(startTime) } } : {};
  return { socket, machine, boot, ...guard, host };
}

/**
 * `here`: whether the holder lives can be asked. `before`: on this machine, before it was booted. `elsewhere`: on another
 * machine, which takes an ID to tell.
 */
export function holderPlaceOf(holder: LockHolder, now = here()): HolderPlace {
  if (holder.machine !== '' && now.machine !== '' && holder.machine !== now.machine) return 'elsewhere';
  return holder.boot === now.boot ? 'here' : 'before';
}

export type HolderPlace = 'here' | 'before' | 'elsewhere';

function here(): Pick<LockHolder, 'machine' | 'boot'> {
  return { machine: shortId(machineId()), boot: shortId(whereabouts().boot) };
}

/** Both IDs are random, so their first 32 bits are enough. Any other text, such as "uninitialized", is no ID. */
function shortId(id: string): string {
  return /^[0-9a-f]{8}/.exec(id)?.[0] ?? '';
}

/** Empty if the machine has none, as in many containers. */
export function machineId(): string {
  return fileText('/etc/machine-id').trim();
}
