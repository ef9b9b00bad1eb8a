// Finds the program that has a port which somebody else could not get.
import { readdirSync } from 'node:fs';
import { basename } from 'node:path';
import type { Clock } from '../../shared/clock.ts';
import { type IpAddress, overlaps } from '../address.ts';
import { commandOfProcess, startOf } from '../proc.ts';
import { nameOfUser } from '../users.ts';
import { listenersOf, socketsOf } from './listeners.ts';

export interface PortHolders {
  /** `"nginx" (pid 812)`, `app "web" (instance 0)`, or whose program it is if nsv may not see more; undefined if that cannot be told. */
  of(address: IpAddress): string | undefined;
}

/** Milliseconds for which an answer holds: an app that is restarted at once asks again and again, and /proc is large. */
const lasting = 2_000;

/** `instanceOf`: how to name a process that nsv has started. */
export function createPortHolders(
  clock: Pick<Clock, 'now'>,
  instanceOf: (pid: number) => string | undefined = () => undefined,
): PortHolders {
  const known = new Map<string, { at: number; text: string | undefined }>();
  return {
    of(address) {
      const key = [address.transport, address.ip, address.port].join('|');
      for (const [other, { at }] of known) if (clock.now() - at >= lasting) known.delete(other);
      const answer = known.get(key) ?? { at: clock.now(), text: holderOf(address, instanceOf) };
      known.set(key, answer);
      return answer.text;
    },
  };
}

function holderOf(address: IpAddress, instanceOf: (pid: number) => string | undefined): string | undefined {
  const found = listenersOf(address.transport).find((other) => overlaps(address, other.address));
  if (!found) return undefined;
  const pid = ownerOf(found.inode);
  if (pid === undefined) return `a program of user "${nameOfUser(String(found.uid))}"`;
  return instanceOf(pid) ?? `"${programOf(pid)}" (pid ${pid})`;
}

/** The first process that has the socket: of several, it is most likely the one that has bound it. */
function ownerOf(inode: number): number | undefined {
  const pids = readdirSync('/proc').flatMap((name) => (/^\d+$/.test(name) ? Number(name) : []));
  return pids.sort((a, b) => a - b).find((pid) => socketsOf(pid).includes(inode));
}

/** Of a Node program, its script too: everything is "node" there, or, since Node 22, "MainThread". */
function programOf(pid: number): string {
  const name = startOf(`/proc/${pid}/comm`).trim();
  if (name !== 'node' && name !== 'MainThread') return name;
  const [, ...words] = commandOfProcess(pid).split(' ');
  const script = words.find((word) => word !== '' && !word.startsWith('-'));
  return script === undefined ? 'node' : `node ${basename(script)}`;
}
