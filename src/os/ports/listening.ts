// On which ports processes listen, whether nsv has a part in it or not. Looked up when somebody asks.
import type { IpAddress } from '../address.ts';
import { type Listener, listenersOf, socketsOf } from './listeners.ts';

/** All TCP sockets that listen, by inode. */
type Table = ReadonlyMap<number, Listener>;

/** What was found when the processes of somebody were looked at. */
interface Look {
  readonly pids: readonly number[];
  /** By inode. */
  readonly listening: ReadonlyMap<number, IpAddress>;
  /** As it was then; undefined if it was not read. */
  readonly table: Table | undefined;
}

/** What was read in this turn of the event loop. It serves all processes of a list. */
interface Turn {
  /** Those whose descriptors were read. */
  processes: number;
  table?: Table;
}

/** Processes whose descriptors are read in one turn before the table is: that takes as long as the table of a machine with 24 GB, 4 ms. */
const mostByDescriptors = 100;
const looks = new WeakMap<object, Look>();
let turn: Turn | undefined;
let last: Table = new Map();

/**
 * The TCP addresses on which any of these processes listens, whoever has bound them. Only in the network of this process.
 *
 * Their descriptors tell whether they have sockets that were not known to listen, and only then is the table read. With many processes it
 * is the other way round: their descriptors are read only if some of `owner`'s processes are others than at the last call for it, or a
 * socket listens that did not then.
 */
export function listeningOf(pids: readonly number[], owner: object): IpAddress[] {
  const before = looks.get(owner);
  const known = before && isSame(before.pids, pids) ? before : undefined;
  const look = (known && lookByTable(known)) ?? lookByDescriptors(pids, known);
  looks.set(owner, look);
  return [...look.listening.values()];
}

/** Undefined if their descriptors must be read, or are read faster. */
function lookByTable(known: Look): Look | undefined {
  const { processes, table: read } = thisTurn();
  if (!known.table || (!read && processes < mostByDescriptors)) return undefined;
  const table = tableNow();
  if (table === known.table) return known;
  if (hasMore(table, known.table)) return undefined;
  return { ...known, table, listening: new Map([...known.listening].filter(([inode]) => table.has(inode))) };
}

function lookByDescriptors(pids: readonly number[], known?: Look): Look {
  const now = thisTurn();
  now.processes += pids.length;
  const sockets = pids.flatMap(socketsOf);
  const areKnown = sockets.every((inode) => known?.listening.has(inode));
  const table = areKnown && now.processes <= mostByDescriptors ? now.table : tableNow();
  const addressOf = (inode: number) => (table ? table.get(inode)?.address : known?.listening.get(inode));
  const listening = new Map<number, IpAddress>();
  for (const inode of sockets) {
    const address = addressOf(inode);
    if (address) listening.set(inode, address);
  }
  return { pids, table, listening };
}

function isSame(some: readonly number[], others: readonly number[]): boolean {
  return some.length === others.length && some.every((one, at) => one === others[at]);
}

function hasMore(table: Table, before: Table): boolean {
  return [...table.keys()].some((inode) => !before.has(inode));
}

function thisTurn(): Turn {
  if (!turn) {
    turn = { processes: 0 };
    setImmediate(() => (turn = undefined));
  }
  return turn;
}

/** The same object as long as the same sockets listen, which is then seen at a glance. */
function tableNow(): Table {
  const now = thisTurn();
  if (!now.table) {
    const table = new Map(listenersOf('tcp').map((listener) => [listener.inode, listener]));
    if (hasMore(table, last) || hasMore(last, table)) last = table;
    now.table = last;
  }
  return now.table;
}
