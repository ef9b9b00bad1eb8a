// The handle of a server whose connections are accepted by the daemon and come in one by one (`--schedule rr`).
import { onceAlone, onceLost } from '../channel.ts';
import { KeepAlive } from '../keep-alive.ts';
import type { NodeHandle, NodeServerHandle } from '../node-internals.ts';

/** To a `net.Server` this is its listening socket, so that `maxConnections`, `noDelay` and the like are Node's own. */
export class HandedOver implements NodeServerHandle {
  onconnection?: (errno: number, client: NodeHandle) => void;
  isListening = false;
  readonly #keepAlive = new KeepAlive();
  /** The daemon's socket: asked for its address, and accepted from once there is no daemon any more. */
  #socket: NodeServerHandle | undefined;
  #unwatch: (() => void) | undefined;

  constructor(socket: NodeServerHandle | undefined) {
    this.#socket = socket;
  }

  /** Absent where nobody knows the address: then Node says null. */
  get getsockname(): ((out: object) => number) | undefined {
    const socket = this.#socket;
    return socket?.getsockname && ((out) => socket.getsockname?.(out) ?? 0);
  }

  fchmod(mode: number): number {
    return this.#socket?.fchmod?.(mode) ?? 0;
  }

  listen(backlog: number): number {
    this.isListening = true;
    // Two servers may share one handle.
    this.#unwatch ??= this.#watch(() => this.#acceptAlone(backlog));
    return 0;
  }

  ref(): void {
    this.#keepAlive.ref();
  }

  /** To watch the channel is to keep the event loop alive, so this ends that too. */
  unref(): void {
    this.#keepAlive.unref();
    this.#unwatch?.();
  }

  /** Takes what is on its way from the daemon, and no more: without a daemon it does not accept by itself. */
  retire(): void {
    this.#unwatch?.();
    this.#unwatch = () => {};
  }

  close(): void {
    this.isListening = false;
    this.#unwatch?.();
    this.#keepAlive.release();
    this.#socket?.close();
  }

  /** What the next daemon is to accept from. */
  get socket(): NodeServerHandle | undefined {
    return this.#socket;
  }

  /** The daemon accepts again: here only a descriptor is kept, on which nobody listens. */
  renew(socket: NodeServerHandle): void {
    this.#socket?.close();
    this.#socket = socket;
  }

  /** For good, or until the next daemon. */
  #watch(alone: () => void): () => void {
    const forget = [onceLost(alone), onceAlone(alone)];
    return () => {
      for (const each of forget) each();
    };
  }

  #acceptAlone(backlog: number): void {
    const socket = this.#socket;
    if (!socket) return;
    socket.onconnection = (errno, client) => this.onconnection?.(errno, client);
    socket.unref();
    socket.listen(backlog);
  }
}
