// The handle of a server whose connections are accepted by the daemon and passed on one by one (`--schedule rr`).
import { onceLost, onDaemonLost } from '../channel.ts';
import { KeepAlive } from '../keep-alive.ts';
import type { NodeHandle, NodeServerHandle } from '../node-sockets.ts';

/** A `net.Server` uses it as its listening socket, so `maxConnections`, `noDelay` and the like work as usual. */
export class HandedOver implements NodeServerHandle {
  onconnection?: (errno: number, client: NodeHandle) => void;
  isListening = false;
  readonly #keepAlive = new KeepAlive();
  /** The daemon's socket: provides the address, and accepts connections while there is no daemon. */
  #socket: NodeServerHandle | undefined;
  #unwatch: (() => void) | undefined;

  constructor(socket: NodeServerHandle | undefined) {
    this.#socket = socket;
  }

  /** Absent if the address is unknown; Node then reports null. */
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

  /** Stops watching the channel too, because that keeps the event loop alive. */
  unref(): void {
    this.#keepAlive.unref();
    this.#unwatch?.();
  }

  /** Takes connections that the daemon has already sent, but does not accept any if the daemon dies. */
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

  /** The socket on which the next daemon accepts. */
  get socket(): NodeServerHandle | undefined {
    return this.#socket;
  }

  /** The daemon accepts again. The new socket is kept only as a descriptor, and does not listen here. */
  renew(socket: NodeServerHandle): void {
    this.#socket?.close();
    this.#socket = socket;
  }

  /** Calls `alone` when the daemon is gone, for good or until the next one. */
  #watch(alone: () => void): () => void {
    const forget = [onceLost(alone), onDaemonLost(alone)];
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
