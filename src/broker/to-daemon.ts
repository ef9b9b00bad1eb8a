// The channel of a broker to its daemon.
import type { FromBroker } from '../ipc/broker-messages.ts';
import type { Handle } from '../os/handle.ts';

/** Bytes, and handles, that the daemon has not read. Beyond that, the broker reads nothing more. */
const mostBytes = 1024 * 1024;
const mostHandles = 64;

type Send = (message: FromBroker, handle: Handle | undefined, options: undefined, done: () => void) => boolean;

export class ToDaemon {
  readonly #send = process.send?.bind(process) as Send | undefined;
  readonly #pipe = Object.getOwnPropertySymbols(process)
    .filter(({ description }) => description === 'kChannelHandle')
    .map((symbol) => Reflect.get(process, symbol) as { readonly writeQueueSize?: number })[0];

  get isBehind(): boolean {
    const { _handleQueue: queue } = process as typeof process & { _handleQueue?: unknown[] | null };
    return (this.#pipe?.writeQueueSize ?? 0) > mostBytes || (queue?.length ?? 0) > mostHandles;
  }

  /** Closes the handle when it was sent. */
  tell(message: FromBroker, handle?: Handle): void {
    this.#send?.(message, handle, undefined, () => handle?.close());
  }
}
