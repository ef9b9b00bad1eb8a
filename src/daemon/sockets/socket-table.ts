// The sockets of one group, by key, with the processes that use them.
import { constants } from 'node:os';
import { isDeepStrictEqual } from 'node:util';
import type { AppSpec } from '../../config/app-spec.ts';
import { workerLimits } from '../../ipc/limits.ts';
import type { BindRequest, DownMessage } from '../../ipc/worker-messages.ts';
import { BindError, type Bound, boundBefore, type Handle } from '../../os/handle.ts';
import type { Child } from '../launch/launcher.ts';
import type { AddressBook } from './address-book.ts';
import { bindKeyOf, parseBindRequest, requestOfKey } from './bind-request.ts';
import { GivenSocket } from './given.ts';
import type { HeldSocket, Member } from './held-socket.ts';
import { KernelSocket } from './kernel.ts';
import { ReuseportSockets } from './reuseport.ts';
import { RoundRobinSocket } from './rr.ts';

export interface SocketEntry {
  readonly key: string;
  readonly socket: HeldSocket;
  readonly members: Map<Child, Member>;
  /** Whether it was named with `--listen`. Then it is held as long as the group is active. */
  fixed: boolean;
  readonly close: () => void;
}

export interface Terms {
  group: string;
  schedule: AppSpec['schedule'];
  /** That of the app, for Unix sockets. Default: 022. */
  umask?: string;
  /** One per daemon: the addresses of all groups. */
  book: AddressBook;
}

export class SocketTable {
  readonly #terms: Terms;
  readonly #entries = new Map<string, SocketEntry>();

  constructor(terms: Terms) {
    this.#terms = terms;
  }

  get entries(): SocketEntry[] {
    return [...this.#entries.values()];
  }

  get(key: string): SocketEntry | undefined {
    return this.#entries.get(key);
  }

  /** The socket for a request, bound now if it is new. Throws BindError. */
  entryOf(request: BindRequest): SocketEntry {
    const key = bindKeyOf(request);
    return this.#entries.get(key) ?? this.#open(key, request);
  }

  /** Restores the socket of a key from a process of a dead daemon, or from that daemon. Throws BindError if it cannot be. */
  restore(key: string, slot: number | null, handle: Handle): SocketEntry {
    const request = parseBindRequest(requestOfKey(key));
    const bound = boundBefore(request, handle);
    const known = this.#entries.get(key);
    if (known) {
      // The system has chosen the port of one of them.
      if (!isDeepStrictEqual(known.socket.address, bound.address)) throw new BindError(-constants.errno.EINVAL);
      if (!known.socket.restore?.(slot, handle)) handle.close();
      return known;
    }
    const entry = this.#open(key, request, bound);
    entry.socket.restore?.(slot, handle);
    return entry;
  }

  /** Records that a process was given the socket, and by which message. */
  join({ members, socket }: SocketEntry, slot: number, child: Child, grant: DownMessage): void {
    const grants = members.get(child)?.grants ?? 0;
    const member = { child, slot, grant, grants: grants + 1 };
    members.set(child, member);
    socket.granted?.(member);
  }

  /** The process has closed the socket but lives on. If no other uses it, clients must be refused, not hang. */
  leave(entry: SocketEntry, member: Member): void {
    entry.socket.left?.(member);
    member.grants -= 1;
    if (member.grants > 0) return;
    entry.members.delete(member.child);
    this.closeUnused(entry);
  }

  closeUnused(entry: SocketEntry): void {
    if (!entry.fixed && entry.members.size === 0) entry.close();
  }

  #open(key: string, request: BindRequest, bound?: Bound): SocketEntry {
    if (this.#entries.size >= workerLimits.sockets) throw new BindError(-constants.errno.EMFILE);
    const socket = this.#bind(key, request, bound);
    const free = this.#claim(socket);
    const close = () => {
      this.#entries.delete(key);
      free();
      socket.close();
    };
    const entry = { key, socket, members: new Map(), fixed: false, close };
    this.#entries.set(key, entry);
    return entry;
  }

  /** Unix sockets lack SO_REUSEPORT, and UDP has no connections to hand over. */
  #bind(key: string, request: BindRequest, bound?: Bound): HeldSocket {
    const { schedule, book, umask } = this.#terms;
    const place = { ...request, ...(umask !== undefined && { umask }) };
    const given = book.givenFor(request);
    if (given) {
      bound?.handle.close();
      return new GivenSocket(given);
    }
    if (schedule === 'reuseport' && request.kind === 'tcp') return new ReuseportSockets(place, bound);
    if (schedule === 'rr' && (request.kind === 'tcp' || request.kind === 'pipe'))
      return new RoundRobinSocket(place, key, bound);
    return new KernelSocket(place, bound);
  }

  /** Claims the address after the bind, because only then the real address of port 0 or of "any" is known. */
  #claim(socket: HeldSocket): () => void {
    try {
      return this.#terms.book.claim(socket.address, this.#terms.group);
    } catch (error) {
      socket.close();
      throw error;
    }
  }
}
