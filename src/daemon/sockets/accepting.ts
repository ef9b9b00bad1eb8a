// Which processes of a group accept on which of its sockets, and which have left the accept queue for a while.
//
// A process may be taken out of the queue for several causes at the same time, and stays out until the last of them is
// gone. But it is never the last that accepts on a socket: if all others go, it is called back at once, and leaves
// again when another one has come. So the state is not changed step by step, but computed anew after each change.
//
// A process that has lost its channel comes back by itself, because nobody can call it back. Nothing of this is
// therefore to be remembered for the next daemon.
import { type DownMessage, marker } from '../../ipc/worker-messages.ts';
import type { Child } from '../launch/launcher.ts';
import type { SocketTable } from './socket-table.ts';

export interface AcceptingEffects {
  /** Tells the process from which sockets it is not to accept. Returns false if it cannot be reached. */
  send(child: Child, out: string[]): boolean;
  /** The process is about to leave the queue of the socket. */
  suspended(child: Child, key: string): void;
  /** The process was told to come back to the queue of the socket. */
  resumed(child: Child, key: string): void;
}

export interface Acceptor {
  /** Whether there is a cause to take it out. */
  wantsOut: boolean;
  canLeave: boolean;
  isOut: boolean;
}

/** Which of the processes that listen on a socket are to be out: all that want to be, but never all of them. */
export function chooseOut<A extends Acceptor>(all: readonly A[]): A[] {
  const leavers = all.filter(({ wantsOut, canLeave }) => wantsOut && canLeave);
  if (leavers.length < all.length) return leavers;
  const last = leavers.find(({ isOut }) => !isOut) ?? leavers.at(-1);
  return leavers.filter((one) => one !== last);
}

interface Listener extends Acceptor {
  readonly child: Child;
}

/** Processes that finish what they have. What they still report does not count. */
const departed = new WeakSet<Child>();

export class Accepting {
  readonly #effects: AcceptingEffects;
  /** The processes that listen, by the key of the socket. */
  readonly #listeners = new Map<string, Map<Child, Listener>>();
  readonly #causes = new Map<Child, Set<string>>();

  constructor(effects: AcceptingEffects) {
    this.#effects = effects;
  }

  /** The process accepts on the socket. `canLeave`: it can leave the queue and come back. */
  began(child: Child, key: string, canLeave: boolean): void {
    if (departed.has(child)) return;
    const listeners = this.#listeners.get(key) ?? new Map<Child, Listener>();
    this.#listeners.set(key, listeners);
    if (listeners.get(child)?.isOut) this.#effects.resumed(child, key);
    listeners.set(child, { child, canLeave, wantsOut: this.#causes.has(child), isOut: false });
    this.#settle();
  }

  /** The process has closed the socket. */
  ended(child: Child, key: string): void {
    if (this.#forget(child, key)) this.#settle();
  }

  /** The process accepts on no socket any more. */
  departed(child: Child): void {
    departed.add(child);
    this.lost(child);
  }

  /** The process has lost its channel. If it lives, it has come back to all queues, and reports when it has another. */
  lost(child: Child): void {
    this.#causes.delete(child);
    for (const key of this.#listeners.keys()) this.#forget(child, key);
    this.#settle();
  }

  /** Takes the process out of the queues of all its sockets, as long as others accept there. */
  leave(child: Child, cause: string): void {
    if (departed.has(child)) return;
    const causes = this.#causes.get(child) ?? new Set();
    this.#causes.set(child, causes.add(cause));
    this.#want(child, true);
  }

  /** The cause is gone. */
  join(child: Child, cause: string): void {
    const causes = this.#causes.get(child);
    if (!causes?.delete(cause) || causes.size > 0) return;
    this.#causes.delete(child);
    this.#want(child, false);
  }

  /** Whether it listens on the socket and has not left its queue. */
  accepts(child: Child, key: string): boolean {
    return this.#listeners.get(key)?.get(child)?.isOut === false;
  }

  #want(child: Child, wantsOut: boolean): void {
    for (const listeners of this.#listeners.values()) {
      const listener = listeners.get(child);
      if (listener) listener.wantsOut = wantsOut;
    }
    this.#settle();
  }

  #forget(child: Child, key: string): boolean {
    const listeners = this.#listeners.get(key);
    const isKnown = listeners?.delete(child) === true;
    if (listeners?.size === 0) this.#listeners.delete(key);
    return isKnown;
  }

  #settle(): void {
    const back: Move[] = [];
    const away: Move[] = [];
    for (const [key, listeners] of this.#listeners) {
      const out = new Set(chooseOut([...listeners.values()]));
      for (const listener of listeners.values()) {
        if (listener.isOut !== out.has(listener)) (listener.isOut ? back : away).push({ key, listener });
      }
    }
    this.#rejoinQueues(back);
    this.#leaveQueues(away);
  }

  #rejoinQueues(moves: readonly Move[]): void {
    for (const { listener } of moves) listener.isOut = false;
    for (const child of childrenOf(moves)) this.#send(child);
    for (const { key, listener } of moves) this.#effects.resumed(listener.child, key);
  }

  #leaveQueues(moves: readonly Move[]): void {
    for (const { key, listener } of moves) {
      listener.isOut = true;
      this.#effects.suspended(listener.child, key);
    }
    const unreachable = childrenOf(moves).filter((child) => !this.#send(child));
    for (const { key, listener } of moves) {
      if (!unreachable.includes(listener.child)) continue;
      Object.assign(listener, { canLeave: false, isOut: false });
      this.#effects.resumed(listener.child, key);
    }
  }

  #send(child: Child): boolean {
    const all = [...this.#listeners];
    return this.#effects.send(
      child,
      all.flatMap(([key, listeners]) => (listeners.get(child)?.isOut ? [key] : [])),
    );
  }
}

interface Move {
  key: string;
  listener: Listener;
}

function childrenOf(moves: readonly Move[]): Child[] {
  return [...new Set(moves.map(({ listener }) => listener.child))];
}

/** For the sockets of a group. */
export function acceptingOn(table: SocketTable): Accepting {
  const inform = (what: 'suspended' | 'resumed') => (child: Child, key: string) => {
    const entry = table.get(key);
    const member = entry?.members.get(child);
    if (member) entry?.socket[what]?.(member);
  };
  return new Accepting({
    send: (child, out) => child.send({ cmd: marker, type: 'accept-queue', out } satisfies DownMessage),
    suspended: inform('suspended'),
    resumed: inform('resumed'),
  });
}
