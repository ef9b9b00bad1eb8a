// Connections on their way from the daemon to a process.
//
// A connection counts as handed over only when the process acknowledges it. Until then the daemon keeps its own descriptor, so
// that the connection can go to another process if the first one dies.
import { marker } from '../../../ipc/worker-messages.ts';
import type { Handle } from '../../../os/sockets/node-handles.ts';
import type { Child } from '../../launch/launcher.ts';
import { nextHandOff, type SocketMember } from '../held-socket.ts';

export interface HandOff {
  member: SocketMember;
  client: Handle;
}

export class HandOffs {
  readonly #key: string;
  readonly #returned: (client: Handle, from: Child) => void;
  readonly #inFlight = new Map<number, HandOff>();

  /** `returned`: called with a connection that could not be handed over, and to whom. `key`: of the socket. */
  constructor(key: string, returned: (client: Handle, from: Child) => void) {
    this.#key = key;
    this.#returned = returned;
  }

  has(child: Child, seq: number): boolean {
    return this.#inFlight.get(seq)?.member.child === child;
  }

  /** Whether the process has a connection to acknowledge. */
  isTaking(child: Child): boolean {
    return [...this.#inFlight.values()].some(({ member }) => member.child === child);
  }

  send(handOff: HandOff): void {
    const seq = nextHandOff();
    const { member, client } = handOff;
    this.#inFlight.set(seq, handOff);
    const failed = () => {
      if (this.#inFlight.delete(seq)) this.#returned(client, member.child);
    };
    const message = { cmd: marker, type: 'connection', seq, key: this.#key };
    const isSent = member.child.send(message, client, (error) => error && failed());
    if (!isSent) failed();
  }

  /** The process has taken it. Undefined if that is none of its connections here. */
  accepted(child: Child, seq: number): SocketMember | undefined {
    const handOff = this.#take(child, seq);
    handOff?.client.close();
    return handOff?.member;
  }

  /** The process has not taken it. */
  declined(child: Child, seq: number): void {
    const handOff = this.#take(child, seq);
    if (handOff) this.#returned(handOff.client, child);
  }

  /** The process is gone, and has taken nothing. */
  left(child: Child): void {
    for (const { client } of this.#takeAll(child)) this.#returned(client, child);
  }

  /** Another process must not get them, because two would answer. If nobody has them, they end here. */
  lost(child: Child): void {
    for (const { client } of this.#takeAll(child)) client.close();
  }

  close(): void {
    for (const { client } of this.#inFlight.values()) client.close();
    this.#inFlight.clear();
  }

  #take(child: Child, seq: number): HandOff | undefined {
    const handOff = this.#inFlight.get(seq);
    if (handOff?.member.child !== child) return undefined;
    this.#inFlight.delete(seq);
    return handOff;
  }

  #takeAll(child: Child): HandOff[] {
    return [...this.#inFlight].flatMap(([seq]) => this.#take(child, seq) ?? []);
  }
}
