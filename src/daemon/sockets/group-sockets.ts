// The listening sockets of one group, whichever way they are shared.
import type { ListenAddress } from '../../config/parsers.ts';
import type { UpMessage } from '../../ipc/worker-messages.ts';
import type { Child } from '../launch/launcher.ts';
import type { Handle } from './handle.ts';

export interface GroupSockets {
  /** Binds the addresses of `--listen`. Throws CANNOT_LISTEN. */
  open(addresses: ListenAddress[]): Promise<void>;
  /** The sockets of `--listen`, for programs that inherit descriptors; they are in the LISTEN state. */
  inherited(): Handle[];
  /** Handles one message of the preload of the process in `slot`. Returns true when that process has just begun to listen. */
  receive(slot: number, child: Child, message: UpMessage): boolean;
  /** A process is gone: what was handed to it and not acknowledged goes to another one. Its sockets stay. */
  released(child: Child): void;
  /** The addresses one process listens on, as shown to people. */
  addressesOf(child: Child): string[];
  /** All sockets held for the group, as shown to people. */
  addresses(): string[];
  /** Closes sockets that none of the living processes uses: after a reload whose new version listens elsewhere. */
  prune(): void;
  /** Closes all: stop, delete, giveup. Clients are refused from now on. */
  close(): void;
}
