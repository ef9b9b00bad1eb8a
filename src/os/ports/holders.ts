// Finds the program that has a port which somebody else could not get.
import { readdirSync } from 'node:fs';
import { basename } from 'node:path';
import type { Clock } from '../../shared/clock.ts';
import { type IpAddress, overlaps } from '../address.ts';
import { commandOfProcess, startOf, variableOfProcess } from '../proc.ts';
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
  const owners = ownersOf(found.inode);
  const [first] = owners;
  if (first === undefined) return `a program of user "${nameOfUser(String(found.uid))}"`;
  const ours = owners.flatMap((pid) => instanceOf(pid) ?? [])[0];
  return ours ?? owners.flatMap((pid) => appOfOthers(pid) ?? [])[0] ?? `"${programOf(first)}" (pid ${first})`;
}

/** The processes that have the socket. The first one has most likely bound it. */
function ownersOf(inode: number): number[] {
  const pids = readdirSync('/proc').flatMap((name) => (/^\d+$/.test(name) ? Number(name) : []));
  return pids.sort((a, b) => a - b).filter((pid) => socketsOf(pid).includes(inode));
}

/** Of a daemon with another home, which has the sockets of its apps too. */
function appOfOthers(pid: number): string | undefined {
  const app = variableOfProcess(pid, 'NSV_APP');
  return app && `app "${app}" of the nsv home ${variableOfProcess(pid, 'NSV_HOME')} (pid ${pid})`;
}

/** Options of Node that are followed by a file. */
const takesWord = /^(-r|--require|--import|--loader|--experimental-loader)$/;

/** Of a Node program, its script too: everything is "node" there, or, since Node 22, "MainThread". */
function programOf(pid: number): string {
  const name = startOf(`/proc/${pid}/comm`).trim();
  if (name !== 'node' && name !== 'MainThread') return name;
  const [, ...words] = commandOfProcess(pid).split(' ');
  const script = words.find(
    (word, index) => word !== '' && !word.startsWith('-') && !takesWord.test(words[index - 1] ?? ''),
  );
  return script === undefined ? 'node' : `node ${basename(script)}`;
}
