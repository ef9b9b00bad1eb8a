// All addresses that the groups of this daemon hold.
//
// The kernel does not keep two groups apart: libuv sets SO_REUSEADDR, so Linux lets a second socket bind a TCP port as
// long as no socket listens on it.
import { constants } from 'node:os';
import { type Address, type BindAddress, overlaps } from '../../os/address.ts';
import { BindError } from '../../os/handle.ts';
import { type Given, isFor } from './given.ts';

export class AddressBook {
  /** Addresses with the names of their groups. */
  readonly #held = new Map<Address, string>();
  readonly #given: readonly Given[];

  /** `given`: sockets that exist from the start and are never closed. */
  constructor(given: readonly Given[] = []) {
    this.#given = given;
  }

  /** The given socket for the place. */
  givenFor(place: BindAddress): Given | undefined {
    return this.#given.find(({ address }) => isFor(place, address));
  }

  /** Claims an address; the returned function frees it. Throws BindError with EADDRINUSE. */
  claim(address: Address, group: string): () => void {
    for (const [other, holder] of this.#held) {
      if (overlaps(address, other)) throw new BindError(-constants.errno.EADDRINUSE, holder);
    }
    this.#held.set(address, group);
    return () => this.#held.delete(address);
  }
}
