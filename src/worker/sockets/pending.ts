// The handle of a server whose `listen` waits for the daemon: it makes Node's own `close`, `unref`, `address`,
// `listening` and "already listens" behave as if the socket were there.
import { isIPv6 } from 'node:net';
import { KeepAlive } from '../keep-alive.ts';
import type { NodeServerHandle } from '../node-internals.ts';

export class Pending implements NodeServerHandle {
  /** Access rights to be set on the Unix socket; 0 for none. */
  mode = 0;
  readonly #address: { address: string; port: number } | undefined;
  readonly #keepAlive = new KeepAlive();

  /** The address as far as it is known beforehand: not for a port 0. */
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

  /** Never called: Node listens on what the daemon answers. */
  listen(): number {
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

  /** The answer is there. */
  release(): void {
    this.#keepAlive.release();
  }
}
