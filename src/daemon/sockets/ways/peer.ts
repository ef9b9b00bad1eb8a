// A process that shares a socket, as far as its connections are known.
import { type DownMessage, marker } from '../../../ipc/worker-messages.ts';
import type { Clock } from '../../../shared/clock.ts';
import type { SocketMember } from '../held-socket.ts';

/**
 * Milliseconds for an answer, counted twice: the answer may have come while the daemon itself was busy, and is read between two
 * timers. A process that takes longer gets nothing until it has answered. The connection waits meanwhile, and so do those after it. More
 * patience does not spread them more evenly, not even on a busy machine: 20 ms only made a blocked process delay them by 50 ms.
 */
export const patience = 5;

export class Peer {
  readonly member: SocketMember;
  /** Number of connections that other processes are about to send for it. */
  coming = 0;
  isSuspended = false;
  readonly #clock: Clock;
  #open: number | undefined;
  #isAsked = false;
  /** Number of connections that it has to acknowledge. */
  #taking = 0;
  #owesSince = 0;
  /** Its time is over, but an answer that has come already counts. */
  #isLate = false;
  #isSilent = false;

  constructor(member: SocketMember, clock: Clock) {
    this.member = member;
    this.#clock = clock;
  }

  /** Whether it may get connections. */
  get isAble(): boolean {
    return !this.#isSilent && !this.isSuspended;
  }

  /** Whether its number of connections is known. */
  get isKnown(): boolean {
    return this.#open !== undefined;
  }

  /** Number of its connections, with those that are on their way. */
  get load(): number {
    return (this.#open ?? 0) + this.coming + this.#taking;
  }

  get isTaking(): boolean {
    return this.#taking > 0;
  }

  /** Whether it has to answer, and is expected to. */
  get isAwaited(): boolean {
    return this.#owes && !this.#isSilent;
  }

  get #owes(): boolean {
    return this.#isAsked || this.#taking > 0;
  }

  /** Asks for the number of its connections, if that is not known. */
  ask(key: string): void {
    if (this.isKnown || this.#owes || this.isSuspended) return;
    this.#isAsked = true;
    this.#expect();
    this.member.child.send({ cmd: marker, type: 'count', key } satisfies DownMessage);
  }

  /** It has `open` connections. */
  told(open: number): void {
    this.#open = open;
    this.#isSilent = false;
    this.#expect();
  }

  /** The answer to `ask`. */
  counted(open: number): void {
    if (!this.#isAsked) return;
    this.#isAsked = false;
    this.told(open);
  }

  /** A connection was sent to it. */
  takes(): void {
    this.#taking += 1;
    this.#expect();
  }

  /** It has acknowledged a connection. */
  taken(open: number): void {
    this.#taking -= 1;
    this.told(open);
  }

  /** It keeps a connection that it has not counted. */
  keeps(): void {
    if (this.#open !== undefined) this.#open += 1;
  }

  /** Forgets how many connections it has. */
  forget(): void {
    if (!this.#owes) this.#open = undefined;
  }

  losePatience(): void {
    if (!this.#owes || this.#clock.now() - this.#owesSince < patience) return;
    this.#isSilent = this.#isLate;
    this.#isLate = true;
  }

  #expect(): void {
    this.#owesSince = this.#clock.now();
    this.#isLate = false;
  }
}
