// One SO_REUSEPORT socket per slot: the kernel balances connections, and the next process of a slot gets the same
// socket.
//
// The kernel still picks the socket of a slot whose process is dead or does not accept, and closing it would reset the
// connections in its queue. So a process of another slot accepts from it too, until the slot has its own process again.
import { type BindOrigin, type DownMessage, marker } from '../../../ipc/worker-messages.ts';
import type { BindAddress, IpAddress } from '../../../os/address.ts';
import { type Bound, bindServer } from '../../../os/sockets/handle.ts';
import type { Handle, ServerHandle } from '../../../os/sockets/node-handles.ts';
import type { Child } from '../../launch/launcher.ts';
import type { HeldSocket, SocketMember } from '../held-socket.ts';

interface SlotSocket {
  handle: Handle;
  /** Processes that accept from it or are about to. */
  attendants: Set<Child>;
}

export class ReuseportSockets implements HeldSocket {
  readonly way = 'handle';
  readonly address: IpAddress;
  readonly #slots = new Map<number, SlotSocket>();
  readonly #joined = new Map<Child, SocketMember>();
  /** Processes that accept from no socket, for a while or for good. */
  readonly #suspended = new Set<Child>();
  readonly #spare: Handle[] = [];

  /** `bound`: an existing socket to use. Throws BindError. */
  constructor(place: BindAddress, bound?: Bound) {
    const { handle, address } = bound ?? bindFirst(place);
    this.address = address as IpAddress;
    this.#spare.push(handle);
  }

  restore(slot: number | null, handle: Handle): boolean {
    const isSpare = this.#spare.includes(handle);
    if (slot === null || this.#slots.has(slot)) return isSpare;
    if (isSpare) this.#spare.splice(this.#spare.indexOf(handle), 1);
    this.#slots.set(slot, { handle, attendants: new Set() });
    return true;
  }

  handles() {
    const held = [...this.#slots].map(([slot, { handle }]) => ({ slot, handle }));
    return [...held, ...this.#spare.map((handle) => ({ slot: null, handle }))];
  }

  handleFor(slot: number): Handle {
    const socket = this.#slots.get(slot) ?? { handle: this.#spare.pop() ?? this.#bindNext(), attendants: new Set() };
    this.#slots.set(slot, socket);
    return socket.handle;
  }

  granted({ slot, child }: SocketMember): void {
    this.#slots.get(slot)?.attendants.add(child);
  }

  joined(member: SocketMember): void {
    this.#joined.set(member.child, member);
    this.#attend();
    if (!this.#suspended.has(member.child)) this.#dismissHelpers(member.slot);
  }

  suspended({ child }: SocketMember): void {
    this.#suspended.add(child);
    this.#leaveAll(child);
  }

  resumed({ child, slot }: SocketMember): void {
    this.#suspended.delete(child);
    this.#slots.get(slot)?.attendants.add(child);
    this.#attend();
    this.#dismissHelpers(slot);
  }

  /** A process that drains has closed its socket, however long it still lives. */
  leaving(member: SocketMember): void {
    this.suspended(member);
  }

  left({ child }: SocketMember): void {
    this.#suspended.delete(child);
    this.#joined.delete(child);
    this.#leaveAll(child);
  }

  /** It has come back by itself. */
  lost(child: Child): void {
    this.#suspended.delete(child);
  }

  close(): void {
    for (const { handle } of this.#slots.values()) handle.close();
    for (const handle of this.#spare) handle.close();
  }

  #bindNext(): Handle {
    const { ip, port, ipv6Only } = this.address;
    return bindServer({ kind: 'tcp', host: ip, port, ipv6Only }, true).handle;
  }

  #leaveAll(child: Child): void {
    for (const { attendants } of this.#slots.values()) attendants.delete(child);
    this.#attend();
  }

  #attend(): void {
    for (const [extra, { handle, attendants }] of this.#slots) {
      const helper = attendants.size === 0 ? this.#leastBusy() : undefined;
      if (helper?.child.send({ ...helper.grant, extra }, handle)) attendants.add(helper.child);
    }
  }

  /** The slot has its own process. */
  #dismissHelpers(extra: number): void {
    const attendants = this.#slots.get(extra)?.attendants ?? new Set();
    for (const child of attendants) {
      const helper = this.#joined.get(child);
      if (!helper || helper.slot === extra) continue;
      attendants.delete(child);
      child.send({ cmd: marker, type: 'close-extra', origin: originOf(helper), extra } satisfies DownMessage);
    }
  }

  #leastBusy(): SocketMember | undefined {
    const sockets = [...this.#slots.values()];
    const load = ({ child }: SocketMember) => sockets.filter(({ attendants }) => attendants.has(child)).length;
    const able = [...this.#joined.values()].filter(({ child }) => !this.#suspended.has(child));
    return able.sort((a, b) => load(a) - load(b))[0];
  }
}

/** What the process knows its first socket by. */
function originOf({ grant }: SocketMember): BindOrigin {
  return grant.type === 'granted' ? grant.seq : grant.key;
}

/** Whether Node can set SO_REUSEPORT (libuv 1.49, Node 22.12). Only Linux balances connections between such sockets. */
export function canReusePort(): boolean {
  const [major = 0, minor = 0] = process.versions.uv.split('.').map(Number);
  return process.platform === 'linux' && (major > 1 || minor >= 49);
}

/** SO_REUSEPORT would succeed next to another program that uses it too. A plain bind detects that. */
function bindFirst(place: BindAddress): Bound<ServerHandle> {
  if (place.port) bindServer(place).handle.close();
  return bindServer(place, true);
}
