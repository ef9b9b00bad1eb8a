// What processes could not bind. An app may swallow the error, so that only the daemon knows why it has ended.
import type { Address } from '../../os/address.ts';
import type { Child } from '../launch/launcher.ts';

export interface Refusal {
  address: Address;
  /** `EADDRINUSE`, `EACCES` and so on. */
  code: string;
  /** The app of this daemon that has the address; undefined if it is none of them. */
  holder: string | undefined;
  /** Monotonic time in milliseconds. */
  at: number;
}

export class Refusals {
  readonly #last = new WeakMap<Child, Refusal>();

  add(child: Child, refusal: Refusal): void {
    this.#last.set(child, refusal);
  }

  /** It was given a socket, if only another one: many apps try the next port. */
  forget(child: Child): void {
    this.#last.delete(child);
  }

  /** The last one, unless the process has been given a socket since. */
  of(child: Child): Refusal | undefined {
    return this.#last.get(child);
  }
}
