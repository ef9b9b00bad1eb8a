// The connections that wait for a process, and which process gets which of them.
import type { Handle } from '../../../os/sockets/node-handles.ts';
import { deferred } from '../../../shared/promises.ts';
import type { SocketMember } from '../held-socket.ts';
import type { HandOff } from './hand-offs.ts';

let emptied: ReturnType<typeof deferred<void>> | undefined;

/** Resolves, in the same turn of the loop, when a socket has no more connections waiting for a process. */
export function onceEmptied(): Promise<void> {
  emptied ??= deferred();
  return emptied.promise;
}

/** No connection of a socket waits any longer. */
export function noneWaits(): void {
  emptied?.resolve();
  emptied = undefined;
}

export interface Waiting {
  readonly size: number;
  add(client: Handle): void;
  /** For one that has waited before. */
  addFirst(client: Handle): void;
  /** The processes that get connections have changed; the oldest first. */
  serve(members: readonly SocketMember[]): void;
  /** A process of `free` and the connection that is its next; undefined if there is none for any of them. */
  take(free: readonly SocketMember[]): HandOff | undefined;
  /** Takes all. */
  clear(): Handle[];
}

/** The oldest connection goes to the process that has been free for the longest time. */
export function waitingInTurn(): Waiting {
  const clients: Handle[] = [];
  return {
    get size() {
      return clients.length;
    },
    add: (client) => void clients.push(client),
    addFirst: (client) => void clients.unshift(client),
    serve() {},
    take([member]) {
      const client = member && clients.shift();
      return client && { member, client };
    },
    clear: () => clients.splice(0),
  };
}

/** All connections of a client go to one process. While that is not there, another one gets them. */
export class ByClient implements Waiting {
  readonly #queues = new Map<number, Handle[]>();
  /** Of each slot. During a reload the old process of a slot has its clients until it leaves. */
  #members = new Map<number, SocketMember>();
  #size = 0;
  #turn = 0;

  get size(): number {
    return this.#size;
  }

  add(client: Handle): void {
    this.#queueFor(client).push(client);
    this.#size += 1;
  }

  addFirst(client: Handle): void {
    this.#queueFor(client).unshift(client);
    this.#size += 1;
  }

  serve(members: readonly SocketMember[]): void {
    const before = [...this.#members.keys()];
    this.#members = new Map(members.toReversed().map((member) => [member.child.plan.slot, member]));
    if (before.length === this.#members.size && before.every((slot) => this.#members.has(slot))) return;
    for (const client of this.clear()) this.add(client);
  }

  take(free: readonly SocketMember[]): HandOff | undefined {
    for (const member of free) {
      const { slot } = member.child.plan;
      const isNext = this.#members.get(slot)?.child === member.child;
      const client = isNext && this.#queues.get(slot)?.shift();
      if (!client) continue;
      this.#size -= 1;
      return { member, client };
    }
    return undefined;
  }

  clear(): Handle[] {
    const all = [...this.#queues.values()].flat();
    this.#queues.clear();
    this.#size = 0;
    return all;
  }

  #queueFor(client: Handle): Handle[] {
    const slot = this.#slotFor(client);
    const queue = this.#queues.get(slot) ?? [];
    this.#queues.set(slot, queue);
    return queue;
  }

  /** A connection to a Unix socket has no address: those are served in turn. */
  #slotFor(client: Handle): number {
    const slots = [...this.#members.keys()];
    const peer: { address?: string } = {};
    client.getpeername?.(peer);
    this.#turn += 1;
    if (slots.length === 0) return -1;
    return peer.address === undefined ? slots[this.#turn % slots.length]! : slotOf(peer.address, slots);
  }
}

/**
 * Which slot the connections of a client go to. Rendezvous hashing (https://en.wikipedia.org/wiki/Rendezvous_hashing): when a
 * slot comes or goes, only the clients of that slot get another one. The next daemon finds the same. `slots` is not empty.
 * `address`: the IP address of the client.
 */
export function slotOf(address: string, slots: readonly number[]): number {
  const weights = slots.map((slot) => ({ slot, weight: hash(`${slot} ${address}`) }));
  return weights.reduce((best, other) => (isHeavier(other, best) ? other : best)).slot;
}

interface Weight {
  slot: number;
  weight: number;
}

function isHeavier(one: Weight, other: Weight): boolean {
  return one.weight > other.weight || (one.weight === other.weight && one.slot < other.slot);
}

/** FNV-1a, with the last steps of MurmurHash3, as addresses differ in their last digits only. 32 bits. */
function hash(text: string): number {
  let value = 0x811c9dc5;
  for (let index = 0; index < text.length; index += 1) value = Math.imul(value ^ text.charCodeAt(index), 0x01000193);
  value = Math.imul(value ^ (value >>> 16), 0x85ebca6b);
  value = Math.imul(value ^ (value >>> 13), 0xc2b2ae35);
  return (value ^ (value >>> 16)) >>> 0;
}
