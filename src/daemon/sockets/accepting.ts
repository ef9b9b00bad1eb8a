// Which processes of a group accept on which of its sockets, and which have left the accept queue for a while.
//
// A process may be taken out of the queue for several causes at the same time, and stays out until the last of them is
// gone. But it is never the last that accepts on a socket: if all others go, it is called back at once, and leaves
// again when another one has come. So the state is not changed step by step, but computed anew after each change.
//
// One that is starting, and will say when it is ready, is held back: it accepts nothing, even if nobody else does. Clients wait
// for it in the queue of the socket, as if it did not listen yet.
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
  isHeldBack: boolean;
  /** Whether there is a cause to take it out. */
  wantsOut: boolean;
  canLeave: boolean;
  isOut: boolean;
}

/**
 * Which of the processes that listen on a socket are to be out: those that are held back, and of the others all that want to be, but
 * never all of them.
 */
export function chooseOut<A extends Acceptor>(all: readonly A[]): A[] {
  const held = all.filter(({ isHeldBack, canLeave }) => isHeldBack && canLeave);
  const others = all.filter((one) => !held.includes(one));
  const leavers = others.filter(({ wantsOut, canLeave }) => wantsOut && canLeave);
  if (leavers.length < others.length) return [...held, ...leavers];
  const last = leavers.find(({ isOut }) => !isOut) ?? leavers.at(-1);
  return [...held, ...leavers.filter((one) => one !== last)];
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
  readonly #heldBack = new Set<Child>();
  readonly #letIn = new WeakSet<Child>();
  /** The sockets that processes were given while they were held back, so that they accept nothing from the first moment on. */
  readonly #givenOut = new Map<Child, Set<string>>();

  constructor(effects: AcceptingEffects) {
    this.#effects = effects;
  }

  /** The process accepts on the socket. `canLeave`: it can leave the queue and come back. */
  began(child: Child, key: string, canLeave: boolean): void {
    if (departed.has(child)) return;
    const listeners = this.#listeners.get(key) ?? new Map<Child, Listener>();
    this.#listeners.set(key, listeners);
    if (listeners.get(child)?.isOut) this.#effects.resumed(child, key);
    const isOut = canLeave && this.#givenOut.get(child)?.delete(key) === true;
    const wish = { wantsOut: this.#causes.has(child), isHeldBack: this.#heldBack.has(child) };
    listeners.set(child, { child, canLeave, ...wish, isOut });
    this.#settle();
  }

  /** The process is about to be given the socket. Returns whether it has to be out of its queue as soon as it listens. */
  given(child: Child, key: string): boolean {
    if (!this.#heldBack.has(child)) return false;
    const keys = this.#givenOut.get(child) ?? new Set();
    this.#givenOut.set(child, keys.add(key));
    return true;
  }

  /** The process connects to itself, so it has to accept. */
  letIn(child: Child): void {
    this.#letIn.add(child);
    this.holdBack(child, false);
  }

  /** Whether the process accepts nothing, unless it was let in. */
  holdBack(child: Child, wish: boolean): void {
    const isHeldBack = wish && !this.#letIn.has(child);
    if (departed.has(child) || this.#heldBack.has(child) === isHeldBack) return;
    if (isHeldBack) this.#heldBack.add(child);
    else this.#heldBack.delete(child);
    this.#change(child, { isHeldBack });
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
    this.#heldBack.delete(child);
    this.#givenOut.delete(child);
    for (const key of this.#listeners.keys()) this.#forget(child, key);
    this.#settle();
  }

  /** Takes the process out of the queues of all its sockets, as long as others accept there. */
  leave(child: Child, cause: string): void {
    if (departed.has(child)) return;
    const causes = this.#causes.get(child) ?? new Set();
    this.#causes.set(child, causes.add(cause));
    this.#change(child, { wantsOut: true });
  }

  /** The cause is gone. */
  join(child: Child, cause: string): void {
    const causes = this.#causes.get(child);
    if (!causes?.delete(cause) || causes.size > 0) return;
    this.#causes.delete(child);
    this.#change(child, { wantsOut: false });
  }

  /** Whether it listens on the socket and has not left its queue. */
  accepts(child: Child, key: string): boolean {
    return this.#listeners.get(key)?.get(child)?.isOut === false;
  }

  #change(child: Child, wish: Partial<Pick<Acceptor, 'wantsOut' | 'isHeldBack'>>): void {
    for (const listeners of this.#listeners.values()) {
      const listener = listeners.get(child);
      if (listener) Object.assign(listener, wish);
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
  const inform = (what: 'suspended' | 'joined' | 'resumed') => (child: Child, key: string) => {
    const entry = table.get(key);
    const member = entry?.members.get(child);
    if (member) entry?.socket[what]?.(member);
  };
  const [joined, resumed] = [inform('joined'), inform('resumed')];
  return new Accepting({
    send: (child, out) => child.send({ cmd: marker, type: 'accept-queue', out } satisfies DownMessage),
    suspended: inform('suspended'),
    resumed(child, key) {
      // It may have been held back since it was given the socket.
      joined(child, key);
      resumed(child, key);
    },
  });
}
