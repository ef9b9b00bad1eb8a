// One socket for the whole group: any free process accepts. The daemon only keeps it open.
import type { BindAddress } from '../../../os/address.ts';
import { type Bound, bind, renewed } from '../../../os/sockets/handle.ts';
import type { HeldSocket } from '../held-socket.ts';

/** `bound`: an existing socket to use; `isOwned`: the user of the app has bound it. Throws BindError. */
export function kernelSocket(place: BindAddress, bound?: Bound, isOwned = false): HeldSocket {
  const bindAnew = () => bind(place);
  let held = bound ?? bindAnew();
  return {
    way: 'handle',
    get address() {
      return held.address;
    },
    handleFor() {
      if (!isOwned) held = renewed(held, bindAnew);
      return held.handle;
    },
    replace(next) {
      held.handle.close();
      held = next;
    },
    handles: () => [{ slot: null, handle: held.handle }],
    close: () => held.handle.close(),
  };
}
