// The daemon accepts connections and passes each one to a process: with `rr` to the next that is free, with `sticky` to that of its
// client.
//
// A connection counts as handed over only when the process acknowledges it. Until then the daemon keeps its own
// descriptor, and passes the connection to another process if the first one dies. A process with an unacknowledged
// connection is not free, so with `rr` a process that hangs delays only one connection; with `sticky`, all those of its clients.
import { setFlagsFromString } from 'node:v8';
import { marker } from '../../../ipc/worker-messages.ts';
import type { Address, BindAddress } from '../../../os/address.ts';
import { BindError, type Bound, backlog, bindServer, renewed } from '../../../os/sockets/handle.ts';
import type { Handle, ServerHandle } from '../../../os/sockets/node-handles.ts';
import { deferred } from '../../../shared/promises.ts';
import type { Child } from '../../launch/launcher.ts';
import { type HeldSocket, nextHandOff, type SocketMember } from '../held-socket.ts';
import type { HandOff, Waiting } from './waiting.ts';

let emptied: ReturnType<typeof deferred<void>> | undefined;

/** Resolves, in the same turn of the loop, when a socket has no more connections waiting for a free process. */
export function onceEmptied(): Promise<void> {
  emptied ??= deferred();
  return emptied.promise;
}

export class HandingSocket implements HeldSocket {
  readonly way = 'handed';
  readonly #key: string;
  readonly #bind: () => Bound<ServerHandle>;
  readonly #isOwned: boolean;
  #bound: Bound<ServerHandle>;
  /** Processes that are free, next in turn first. */
  #free: SocketMember[] = [];
  readonly #leaving = new WeakSet<Child>();
  /** Processes that get no connections for a while. */
  readonly #suspended = new Set<Child>();
  /** Processes that get connections, oldest first. */
  #serving: SocketMember[] = [];
  readonly #waiting: Waiting;
  readonly #inFlight = new Map<number, HandOff>();

  /** `bound`: an existing socket to use; `isOwned`: the user of the app has bound it. Throws BindError. */
  constructor(place: BindAddress, key: string, waiting: Waiting, bound?: Bound, isOwned = false) {
    // The daemon starts without V8's optimising compiler. Only this has work per connection, which makes it worthwhile.
    setFlagsFromString('--opt');
    this.#key = key;
    this.#waiting = waiting;
    this.#isOwned = isOwned;
    this.#bind = () => this.#accepting(bindServer(place));
    this.#bound = bound ? this.#accepting(bound as Bound<ServerHandle>) : this.#bind();
  }

  get address(): Address {
    return this.#bound.address;
  }

  /** The process uses it only to read the address. */
  handleFor(): Handle {
    if (!this.#isOwned) this.#bound = renewed(this.#bound, this.#bind);
    return this.#bound.handle;
  }

  replace(bound: Bound): void {
    this.#bound.handle.close();
    this.#bound = this.#accepting(bound as Bound<ServerHandle>);
  }

  joined(member: SocketMember): void {
    const { child } = member;
    const isAway = this.#leaving.has(child) || this.#suspended.has(child);
    if (!isAway && !this.#free.some((free) => free.child === child)) this.#free.push(member);
    if (!isAway && !this.#serving.some((other) => other.child === child)) {
      this.#serving.push(member);
      this.#waiting.serve(this.#serving);
    }
    this.#distribute();
  }

  leaving({ child }: SocketMember): void {
    this.#leaving.add(child);
    this.#withdraw(child);
    this.#distribute();
  }

  suspended({ child }: SocketMember): void {
    this.#suspended.add(child);
    this.#withdraw(child);
    this.#distribute();
  }

  resumed(member: SocketMember): void {
    this.#suspended.delete(member.child);
    const isTaking = [...this.#inFlight.values()].some((handOff) => handOff.member.child === member.child);
    if (!isTaking) this.joined(member);
  }

  left({ child }: SocketMember): void {
    this.#suspended.delete(child);
    this.#withdraw(child);
    for (const [seq, handOff] of this.#inFlight) {
      if (handOff.member.child === child) this.#takeBack(seq, handOff);
    }
    this.#distribute();
  }

  /** Another process must not get them, because two would answer. If nobody has them, they end here. */
  lost(child: Child): void {
    this.#suspended.delete(child);
    this.#withdraw(child);
    for (const [seq, { member, client }] of this.#inFlight) {
      if (member.child !== child) continue;
      this.#inFlight.delete(seq);
      client.close();
    }
  }

  accepted(child: Child, seq: number): void {
    const handOff = this.#inFlight.get(seq);
    if (handOff?.member.child !== child) return;
    this.#inFlight.delete(seq);
    handOff.client.close();
    this.joined(handOff.member);
  }

  /** The process has closed its server, so it is no longer free. */
  declined(child: Child, seq: number): void {
    const handOff = this.#inFlight.get(seq);
    if (handOff?.member.child !== child) return;
    this.#takeBack(seq, handOff);
    this.#distribute();
  }

  handles() {
    return [{ slot: null, handle: this.#bound.handle }];
  }

  get waiting(): number {
    return this.#waiting.size;
  }

  close(): void {
    this.#bound.handle.close();
    for (const client of this.#waiting.clear()) client.close();
    for (const { client } of this.#inFlight.values()) client.close();
    this.#inFlight.clear();
  }

  #accepting(bound: Bound<ServerHandle>): Bound<ServerHandle> {
    const { handle } = bound;
    handle.onconnection = (errno, client) => {
      // Out of descriptors, or the client is already gone.
      if (errno !== 0) return;
      this.#waiting.add(client);
      this.#distribute();
    };
    const errno = handle.listen(backlog);
    if (errno === 0) return bound;
    handle.close();
    throw new BindError(errno);
  }

  #distribute(): void {
    while (this.#waiting.size > 0) {
      const next = this.#waiting.take(this.#free);
      if (!next) return;
      this.#free = this.#free.filter(({ child }) => child !== next.member.child);
      this.#handOver(next);
      if (this.#waiting.size === 0) this.#resolveEmptied();
    }
  }

  #withdraw(gone: Child): void {
    this.#free = this.#free.filter(({ child }) => child !== gone);
    this.#serving = this.#serving.filter(({ child }) => child !== gone);
    this.#waiting.serve(this.#serving);
  }

  #resolveEmptied(): void {
    emptied?.resolve();
    emptied = undefined;
  }

  #handOver(handOff: HandOff): void {
    const seq = nextHandOff();
    const { member, client } = handOff;
    this.#inFlight.set(seq, handOff);
    const failed = () => {
      if (!this.#inFlight.has(seq)) return;
      this.#takeBack(seq, handOff);
      this.#distribute();
    };
    const message = { cmd: marker, type: 'connection', seq, key: this.#key };
    const isSent = member.child.send(message, client, (error) => error && failed());
    if (!isSent) failed();
  }

  /** Goes to the front, because it has waited longest. */
  #takeBack(seq: number, { client }: HandOff): void {
    this.#inFlight.delete(seq);
    this.#waiting.addFirst(client);
  }
}
