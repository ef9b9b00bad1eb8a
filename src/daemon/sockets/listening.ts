// Where the processes of a group listen, by key, with what people are shown.
import { workerLimits } from '../../ipc/limits.ts';
import type { Child } from '../launch/launcher.ts';

/**
 * How far a process has come with opening its sockets: it is not ready; it is, but may still listen on more as part of its start; it
 * has had the time for that.
 */
export type Stage = 'starting' | 'young' | 'grown';

interface Place {
  /** `3000`, `127.0.0.1:3000`, `/run/x.sock`, `udp:5353`. */
  text: string;
  /** Whether it is one of those that the app serves, as the process began to listen while it was starting. */
  isServed: boolean;
  /** The same, unless a client was connected then, so that it may be a port for that client alone. */
  isExpected: boolean;
}

export class Listening {
  readonly #places = new Map<Child, Map<string, Place>>();
  /** What each process was expected to serve and has closed: it may open it again, for example with other certificates. */
  readonly #closed = new WeakMap<Child, Map<string, Place>>();
  /** Those that have listened on all that they had asked for, once at least. */
  readonly #settled = new WeakSet<Child>();

  /**
   * False if the process listens in as many places as it may. What a process opens first belongs to its start, however late. So
   * does all that one which has outlived its daemon tells the next.
   */
  began(child: Child, key: string, text: string, stage: Stage, isOnDemand: boolean): boolean {
    const places = this.#places.get(child) ?? new Map<string, Place>();
    if (places.size >= workerLimits.sockets) return false;
    const isServed = stage !== 'grown' || !this.#settled.has(child);
    const known = places.get(key) ?? this.#closed.get(child)?.get(key);
    places.set(key, { ...(known ?? { isServed, isExpected: isServed && !isOnDemand }), text });
    this.#places.set(child, places);
    return true;
  }

  settled(child: Child): void {
    this.#settled.add(child);
  }

  closed(child: Child, key: string): void {
    const place = this.at(child, key);
    this.#places.get(child)?.delete(key);
    const closed = this.#closed.get(child) ?? new Map<string, Place>();
    if (place?.isExpected && closed.size < workerLimits.sockets) this.#closed.set(child, closed.set(key, place));
  }

  gone(child: Child): void {
    this.#places.delete(child);
  }

  /** Undefined if the process does not listen on the socket. */
  at(child: Child, key: string): Place | undefined {
    return this.#places.get(child)?.get(key);
  }

  /** Whether any process listens on the socket. */
  isServed(key: string): boolean {
    return [...this.#places.values()].some((places) => places.has(key));
  }

  addressesOf(child: Child): string[] {
    const places = this.#places.get(child)?.values() ?? [];
    return [...new Set([...places].map(({ text }) => text))];
  }
}
