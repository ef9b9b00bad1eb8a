// One socket for the whole group: any free process accepts. The daemon only keeps it open.
import type { Address, BindAddress } from '../../../os/address.ts';
import { type Bound, bind, type Handle, renewed } from '../../../os/handle.ts';
import type { HeldSocket } from '../held-socket.ts';

export class KernelSocket implements HeldSocket {
  readonly way = 'handle';
  readonly #bind: () => Bound;
  readonly #isOwned: boolean;
  #bound: Bound;

  /** `bound`: an existing socket to use; `isOwned`: the user of the app has bound it. Throws BindError. */
  constructor(place: BindAddress, bound?: Bound, isOwned = false) {
    this.#bind = () => bind(place);
    this.#isOwned = isOwned;
    this.#bound = bound ?? this.#bind();
  }

  get address(): Address {
    return this.#bound.address;
  }

  handleFor(): Handle {
    if (!this.#isOwned) this.#bound = renewed(this.#bound, this.#bind);
    return this.#bound.handle;
  }

  replace(bound: Bound): void {
    this.#bound.handle.close();
    this.#bound = bound;
  }

  handles() {
    return [{ slot: null, handle: this.#bound.handle }];
  }

  close(): void {
    this.#bound.handle.close();
  }
}
