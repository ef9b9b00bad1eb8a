// The sockets of one group, by key, with the processes that use them.
import { existsSync } from 'node:fs';
import { constants } from 'node:os';
import { isDeepStrictEqual } from 'node:util';
import type { AppSpec } from '../../config/app-spec.ts';
import { workerLimits } from '../../ipc/limits.ts';
import type { BindRequest } from '../../ipc/worker-messages.ts';
import { addressOf, overlaps } from '../../os/address.ts';
import { hasDescriptors } from '../../os/descriptors.ts';
import { BindError, type Bound, boundBefore } from '../../os/sockets/handle.ts';
import type { Handle } from '../../os/sockets/node-handles.ts';
import { isForeign } from '../../os/trust/trusted-path.ts';
import { oneByOne } from '../../shared/promises.ts';
import type { Child } from '../launch/launcher.ts';
import type { AddressBook } from './address-book.ts';
import { bindKeyOf, parseBindRequest, requestOfKey } from './bind-request.ts';
import { givenSocket } from './given.ts';
import type { HeldSocket, SocketMember } from './held-socket.ts';
import type { OwnedSocket, OwnersPaths, SocketOwner } from './owners-paths.ts';
import { HandingSocket } from './ways/handing.ts';
import { kernelSocket } from './ways/kernel.ts';
import { ByClient, type Waiting, waitingInTurn } from './ways/waiting.ts';

export interface SocketEntry {
  readonly key: string;
  readonly socket: HeldSocket;
  readonly members: Map<Child, SocketMember>;
  /** Whether it was named with `--listen`. Then it is held as long as the group is active. */
  fixed: boolean;
  /** Whether a process that served it has ended or is leaving. Then it waits for others that may come to listen on it. */
  isKept: boolean;
  /** Set if the user of the app has bound it. */
  owned: OwnedSocket | undefined;
  readonly close: () => void;
}

export interface Terms {
  group: string;
  schedule: AppSpec['schedule'];
  /** One per daemon: the addresses of all groups. */
  book: AddressBook;
  /** One per daemon: the Unix sockets of apps of other users. If omitted, there are none. */
  ownersPaths?: OwnersPaths | undefined;
}

export class SocketTable {
  readonly #terms: Terms;
  readonly #entries = new Map<string, SocketEntry>();
  /** Preparations run one after another, so that processes which ask for the same path get the same socket. */
  readonly #inTurn = oneByOne();

  constructor(terms: Terms) {
    this.#terms = terms;
  }

  get entries(): SocketEntry[] {
    return [...this.#entries.values()];
  }

  get(key: string): SocketEntry | undefined {
    return this.#entries.get(key);
  }

  /** Whether `prepare` must come before `entryOf`. */
  needsPreparation(request: BindRequest, owner: SocketOwner): boolean {
    const { ownersPaths, book } = this.#terms;
    return ownersPaths?.isUserPath(request, owner) === true && !book.givenFor(request);
  }

  /** Has the user of the app bind the socket, unless there is one whose file exists. Rejects with BindError. */
  prepare(request: BindRequest, owner: SocketOwner): Promise<void> {
    return this.#inTurn(() => this.#prepare(request, owner));
  }

  /** The socket for a request, bound now if it is new. Throws BindError. */
  entryOf(request: BindRequest, owner: SocketOwner): SocketEntry {
    const key = this.#keyOf(request);
    const known = this.#entries.get(key);
    if (known) return known;
    if (this.#terms.ownersPaths?.mayBind(request, owner) === false) throw new BindError(-constants.errno.EACCES);
    // It was prepared, and closed since.
    if (this.needsPreparation(request, owner)) throw new BindError(-constants.errno.ECANCELED);
    return this.#openAnew(key, request, owner);
  }

  /** Whether no socket has the key, but others of the group are in the way, and none of the process itself. */
  isInOwnWay(request: BindRequest, child: Child): boolean {
    if (this.#entries.has(this.#keyOf(request))) return false;
    const inTheWay = this.#at(request);
    return inTheWay.length > 0 && inTheWay.every(({ members }) => !members.has(child));
  }

  /**
   * Restores the socket of a key from a process of a dead daemon, or from that daemon. `fixed`: the daemon says that `--listen`
   * named it. Throws BindError if it cannot be.
   */
  restore(key: string, handle: Handle, owner: SocketOwner, fixed = false): SocketEntry {
    const request = parseBindRequest(requestOfKey(key));
    const bound = boundBefore(request, handle);
    const known = this.#entries.get(key);
    if (known) {
      // The system has chosen the port of one of them.
      if (!isDeepStrictEqual(known.socket.address, bound.address)) throw new BindError(-constants.errno.EINVAL);
      handle.close();
      return known;
    }
    const isUserPath = this.needsPreparation(request, owner);
    const owned = isUserPath ? this.#terms.ownersPaths?.known(bound, request.path ?? '', owner) : undefined;
    const mayBeFalse = isForeign(owner) && !fixed;
    return this.#open(key, request, owner, owned ?? bound, owned, mayBeFalse);
  }

  /** Records that a process was given the socket. */
  join(entry: SocketEntry, child: Child): void {
    const { members } = entry;
    const grants = members.get(child)?.grants ?? 0;
    members.set(child, { child, grants: grants + 1 });
  }

  /** The process has closed the socket but lives on. */
  leave(entry: SocketEntry, member: SocketMember): void {
    entry.socket.left?.(member);
    member.grants -= 1;
    if (member.grants === 0) entry.members.delete(member.child);
  }

  async #prepare(request: BindRequest, owner: SocketOwner): Promise<void> {
    const { path = '' } = request;
    const key = this.#keyOf(request);
    const known = this.#entries.get(key);
    // An app may delete the file as stale before it listens: clients could not find the socket.
    if (known && (!known.owned || existsSync(path))) return;
    if (!known) this.#expectRoom();
    const owned = await this.#terms.ownersPaths?.bind(path, owner);
    if (!owned) return;
    const now = this.#entries.get(key);
    try {
      if (!now) this.#open(key, request, owner, owned, owned);
      else if (now === known) now.socket.replace?.(owned);
      else throw new BindError(-constants.errno.EADDRINUSE);
      if (now) now.owned = owned;
    } catch (error) {
      owned.handle.close();
      owned.remove();
      throw error;
    }
  }

  /** An app that comes back to another address of its port must not meet the socket that waits for it. */
  #openAnew(key: string, request: BindRequest, owner: SocketOwner): SocketEntry {
    try {
      return this.#open(key, request, owner);
    } catch (error) {
      if (!(error instanceof BindError) || error.code !== 'EADDRINUSE') throw error;
      const abandoned = this.#at(request).filter(isUnused);
      if (abandoned.length === 0) throw error;
      for (const { close } of abandoned) close();
      return this.#open(key, request, owner);
    }
  }

  #open(
    key: string,
    request: BindRequest,
    owner: SocketOwner,
    bound?: Bound,
    owned?: OwnedSocket,
    mayBeFalse = false,
  ): SocketEntry {
    this.#expectRoom();
    const socket = this.#bind(key, request, owner, bound, owned !== undefined);
    const free = this.#claim(socket, mayBeFalse ? close : undefined);
    const members = new Map<Child, SocketMember>();
    const entry: SocketEntry = { key, socket, members, fixed: false, isKept: false, owned, close };
    const entries = this.#entries;
    function close() {
      entries.delete(key);
      free();
      socket.close();
      entry.owned?.remove();
    }
    this.#entries.set(key, entry);
    return entry;
  }

  /** UDP has no connections to hand over. */
  #bind(key: string, request: BindRequest, owner: SocketOwner, bound: Bound | undefined, isOwned: boolean): HeldSocket {
    const { schedule, book, ownersPaths } = this.#terms;
    const place = { ...request, ...(owner.umask !== undefined && { umask: owner.umask }) };
    const given = book.givenFor(request);
    if (given) {
      bound?.handle.close();
      return givenSocket(given);
    }
    if (request.direct) return kernelSocket(place, key, bound, isOwned);
    const waiting = request.kind === 'tcp' || request.kind === 'pipe' ? waitingBy(schedule) : undefined;
    const socket = waiting
      ? new HandingSocket(place, key, waiting, bound, isOwned)
      : kernelSocket(place, key, bound, isOwned);
    if (!bound) ownersPaths?.present(place, owner);
    return socket;
  }

  /** In the kernel's way, all sockets are direct. */
  #keyOf(request: BindRequest): string {
    return bindKeyOf(this.#terms.schedule === 'kernel' ? { ...request, direct: false } : request);
  }

  #at(request: BindRequest): SocketEntry[] {
    const place = addressOf(request);
    return this.entries.filter(({ socket }) => overlaps(socket.address, place));
  }

  #expectRoom(): void {
    if (this.#entries.size >= workerLimits.sockets || !hasDescriptors()) throw new BindError(-constants.errno.EMFILE);
  }

  /** Claims the address after the bind, because only then the real address of port 0 or of "any" is known. */
  #claim(socket: HeldSocket, yielded: (() => void) | undefined): () => void {
    try {
      return this.#terms.book.claim(socket.address, this.#terms.group, yielded);
    } catch (error) {
      socket.close();
      throw error;
    }
  }
}

/** Undefined if the processes accept by themselves. */
function waitingBy(schedule: AppSpec['schedule']): Waiting | undefined {
  if (schedule === 'sticky') return new ByClient();
  return schedule === 'rr' ? waitingInTurn() : undefined;
}

function isUnused({ fixed, members }: SocketEntry): boolean {
  return !fixed && members.size === 0;
}
