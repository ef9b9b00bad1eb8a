// The handle of a server whose `listen` waits for the daemon. Node's `close`, `unref`, `address`, `listening` and the
// "already listens" check behave as if the socket existed.
import { isIPv6 } from 'node:net';
import { KeepAlive } from '../keep-alive.ts';
import type { NodeServerHandle } from '../node-sockets.ts';

export class Pending implements NodeServerHandle {
  /** Mode to set on the Unix socket; 0 for none. */
  mode = 0;
  /** Length of the queue on which the server is to listen. */
  backlog = 0;
  readonly #address: { address: string; port: number } | undefined;
  readonly #keepAlive = new KeepAlive();

  /** `address` is known beforehand unless the port is 0. */
  constructor(address: { address: string; port: number } | undefined) {
    this.#address = address;
  }

  get getsockname(): ((out: object) => number) | undefined {
    const known = this.#address;
    if (!known) return undefined;
    const { address, port } = known;
    return (out) => {
      Object.assign(out, { address, family: isIPv6(address) ? 'IPv6' : 'IPv4', port });
      return 0;
    };
  }

  /** Called only if the app is told that it listens before there is a socket. */
  listen(backlog: number): number {
    this.backlog = backlog;
    return 0;
  }

  fchmod(mode: number): number {
    this.mode = mode;
    return 0;
  }

  ref(): void {
    this.#keepAlive.ref();
  }

  unref(): void {
    this.#keepAlive.unref();
  }

  close(): void {
    this.release();
  }

  /** Called when the daemon has answered. */
  release(): void {
    this.#keepAlive.release();
  }
}
