// One socket for the whole group: any process accepts. The daemon keeps it open, and spreads connections that last.
import type { BindAddress } from '../../../os/address.ts';
import { type Bound, bind, renewed } from '../../../os/sockets/handle.ts';
import type { HeldSocket } from '../held-socket.ts';
import { Spread } from './spread.ts';

/** `bound`: an existing socket to use; `isOwned`: the user of the app has bound it. Throws BindError. */
export function kernelSocket(place: BindAddress, key: string, bound?: Bound, isOwned = false): HeldSocket {
  const bindAnew = () => bind(place);
  let held = bound ?? bindAnew();
  const spread = place.kind === 'tcp' || place.kind === 'pipe' ? new Spread(key) : undefined;
  return {
    way: 'handle',
    get address() {
      return held.address;
    },
    handle() {
      if (!isOwned) held = renewed(held, bindAnew);
      return held.handle;
    },
    replace(next) {
      held.handle.close();
      held = next;
    },
    get heldHandle() {
      return held.handle;
    },
    joined: (member) => spread?.joined(member),
    leaving: (member) => spread?.leaving(member),
    suspended: (member) => spread?.suspended(member),
    resumed: (member) => spread?.resumed(member),
    left: (member) => spread?.left(member),
    lost: (child) => spread?.lost(child),
    offered: (child, offer) => spread?.offered(child, offer),
    passed: (...connection) => spread?.passed(...connection),
    counted: (child, open) => spread?.counted(child, open),
    accepted: (...connection) => spread?.accepted(...connection),
    declined: (child, seq) => spread?.declined(child, seq),
    get waiting() {
      return spread?.waiting ?? 0;
    },
    close() {
      held.handle.close();
      spread?.close();
    },
  };
}
