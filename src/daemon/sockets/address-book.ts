// Every address that the groups of this daemon hold.
//
// The kernel does not keep two of our own groups apart: libuv sets SO_REUSEADDR, and with that Linux lets a second
// socket bind a TCP port as long as nobody listens on the first.
import { constants } from 'node:os';
import { type Address, type BindAddress, overlaps } from '../../os/address.ts';
import { BindError } from '../../os/handle.ts';
import { type Given, isFor } from './given.ts';

export class AddressBook {
  /** Addresses with the names of their groups. */
  readonly #held = new Map<Address, string>();
  readonly #given: readonly Given[];

  /** `given`: sockets that are there from the start, and stay. */
  constructor(given: readonly Given[] = []) {
    this.#given = given;
  }

  /** The one that is there for the place. */
  givenFor(place: BindAddress): Given | undefined {
    return this.#given.find(({ address }) => isFor(place, address));
  }

  /** Notes an address as taken and returns what frees it again. Throws BindError with EADDRINUSE. */
  claim(address: Address, group: string): () => void {
    for (const [other, holder] of this.#held) {
      if (overlaps(address, other)) throw new BindError(-constants.errno.EADDRINUSE, holder);
    }
    this.#held.set(address, group);
    return () => this.#held.delete(address);
  }
}
