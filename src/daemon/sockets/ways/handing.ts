// The daemon accepts connections and passes each one to a process: with `rr` to the next that is free, with `sticky` to that of its
// client.
//
// A process with an unacknowledged connection is not free, so with `rr` a process that hangs delays only one connection; with
// `sticky`, all those of its clients.
import { setFlagsFromString } from 'node:v8';
import type { Address, BindAddress } from '../../../os/address.ts';
import { BindError, type Bound, backlog, bindServer, renewed } from '../../../os/sockets/handle.ts';
import type { Handle, ServerHandle } from '../../../os/sockets/node-handles.ts';
import type { Child } from '../../launch/launcher.ts';
import type { HeldSocket, SocketMember } from '../held-socket.ts';
import { HandOffs } from './hand-offs.ts';
import { noneWaits, type Waiting } from './waiting.ts';

export class HandingSocket implements HeldSocket {
  readonly way = 'handed';
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
  readonly #handOffs: HandOffs;

  /** `bound`: an existing socket to use; `isOwned`: the user of the app has bound it. Throws BindError. */
  constructor(place: BindAddress, key: string, waiting: Waiting, bound?: Bound, isOwned = false) {
    // The daemon starts without V8's optimising compiler. Only this has work per connection, which makes it worthwhile.
    setFlagsFromString('--opt');
    // At the front, because it has waited longest.
    this.#handOffs = new HandOffs(key, (client) => {
      this.#waiting.addFirst(client);
      this.#distribute();
    });
    this.#waiting = waiting;
    this.#isOwned = isOwned;
    this.#bind = () => this.#accepting(bindServer(place));
    this.#bound = bound ? this.#accepting(bound as Bound<ServerHandle>) : this.#bind();
  }

  get address(): Address {
    return this.#bound.address;
  }

  /** The process uses it only to read the address. */
  handle(): Handle {
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
    if (!this.#handOffs.isTaking(member.child)) this.joined(member);
  }

  left({ child }: SocketMember): void {
    this.#suspended.delete(child);
    this.#withdraw(child);
    this.#handOffs.left(child);
    this.#distribute();
  }

  lost(child: Child): void {
    this.#suspended.delete(child);
    this.#withdraw(child);
    this.#handOffs.lost(child);
  }

  accepted(child: Child, seq: number): void {
    const member = this.#handOffs.accepted(child, seq);
    if (member) this.joined(member);
  }

  /** The process has closed its server, so it is no longer free. */
  declined(child: Child, seq: number): void {
    this.#handOffs.declined(child, seq);
  }

  get heldHandle() {
    return this.#bound.handle;
  }

  get waiting(): number {
    return this.#waiting.size;
  }

  close(): void {
    this.#bound.handle.close();
    for (const client of this.#waiting.clear()) client.close();
    this.#handOffs.close();
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
      this.#handOffs.send(next);
      if (this.#waiting.size === 0) noneWaits();
    }
  }

  #withdraw(gone: Child): void {
    this.#free = this.#free.filter(({ child }) => child !== gone);
    this.#serving = this.#serving.filter(({ child }) => child !== gone);
    this.#waiting.serve(this.#serving);
  }
}
