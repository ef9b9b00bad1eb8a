// All addresses that the groups of this daemon hold.
//
// The kernel does not keep two groups apart: libuv sets SO_REUSEADDR, so Linux lets a second socket bind a TCP port as
// long as no socket listens on it.
//
// A process of another user may return any socket that has the right address: of another network namespace, or one for IPv6
// alone. So such a claim keeps nobody else from the address. If the socket is what it seems to be, the kernel does.
import { constants } from 'node:os';
import { type Address, type BindAddress, overlaps } from '../../os/address.ts';
import { BindError } from '../../os/sockets/handle.ts';
import { type Given, isFor } from './given.ts';

interface Claim {
  group: string;
  /** Called when another group claims the address. If absent, it cannot. */
  yielded: (() => void) | undefined;
}

export class AddressBook {
  readonly #held = new Map<Address, Claim>();
  readonly #given: readonly Given[];

  /** `given`: sockets that exist from the start and are never closed. */
  constructor(given: readonly Given[] = []) {
    this.#given = given;
  }

  /** The given socket for the place. */
  givenFor(place: BindAddress): Given | undefined {
    return this.#given.find(({ address }) => isFor(place, address));
  }

  /** The group that holds the address, or part of it. */
  holderOf(address: Address): string | undefined {
    return [...this.#held].find(([other]) => overlaps(address, other))?.[1].group;
  }

  /**
   * Claims an address; the returned function frees it. Throws BindError with EADDRINUSE. `yielded`: the claim may be false. It
   * gives way to any other, which this tells.
   */
  claim(address: Address, group: string, yielded?: () => void): () => void {
    const others = [...this.#held].filter(([other, claim]) => overlaps(address, other) && !(yielded && claim.yielded));
    for (const [, { group: holder, yielded: mayYield }] of others)
      if (!mayYield) throw new BindError(-constants.errno.EADDRINUSE, holder);
    for (const [other, claim] of others) {
      this.#held.delete(other);
      claim.yielded?.();
    }
    this.#held.set(address, { group, yielded });
    return () => this.#held.delete(address);
  }
}
