// One SO_REUSEPORT socket per slot: the kernel balances connections, and the next process of a slot gets the same
// socket.
//
// The kernel still picks the socket of a slot whose process is dead, and closing it would reset the connections in its
// queue. So a process of another slot accepts from it too, and continues to do so when the slot is filled again.

import type { BindAddress, IpAddress } from '../../os/address.ts';
import { type Bound, bindServer, type Handle, type ServerHandle } from '../../os/handle.ts';
import type { Child } from '../launch/launcher.ts';
import type { HeldSocket, Member } from './held-socket.ts';

interface SlotSocket {
  handle: Handle;
  /** Processes that accept from it or are about to. */
  attendants: Set<Child>;
}

export class ReuseportSockets implements HeldSocket {
  readonly way = 'handle';
  readonly address: IpAddress;
  readonly #slots = new Map<number, SlotSocket>();
  readonly #joined = new Map<Child, Member>();
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

  granted({ slot, child }: Member): void {
    this.#slots.get(slot)?.attendants.add(child);
  }

  joined(member: Member): void {
    this.#joined.set(member.child, member);
    this.#attend();
  }

  left({ child }: Member): void {
    this.#joined.delete(child);
    for (const { attendants } of this.#slots.values()) attendants.delete(child);
    this.#attend();
  }

  close(): void {
    for (const { handle } of this.#slots.values()) handle.close();
    for (const handle of this.#spare) handle.close();
  }

  #bindNext(): Handle {
    const { ip, port, ipv6Only } = this.address;
    return bindServer({ kind: 'tcp', host: ip, port, ipv6Only }, true).handle;
  }

  #attend(): void {
    for (const { handle, attendants } of this.#slots.values()) {
      const helper = attendants.size === 0 ? this.#leastBusy() : undefined;
      if (helper?.child.send(helper.grant, handle)) attendants.add(helper.child);
    }
  }

  #leastBusy(): Member | undefined {
    const sockets = [...this.#slots.values()];
    const load = ({ child }: Member) => sockets.filter(({ attendants }) => attendants.has(child)).length;
    return [...this.#joined.values()].sort((a, b) => load(a) - load(b))[0];
  }
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
