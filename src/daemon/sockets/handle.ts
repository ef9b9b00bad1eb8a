// A bound socket, as libuv holds it. These are Node's own wraps: `net._createServerHandle` and
// `dgram._createSocketHandle` return them, and `child.send` knows how to hand them over.

export interface Handle {
  /** The descriptor, or -1 when closed. */
  readonly fd: number;
  close(): void;
  getsockname?(out: { address?: string; port?: number; family?: string }): number;
}
