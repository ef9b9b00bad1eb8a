// The HTTP/1 connections of servers that no longer accept. They are only observed, never modified.
import { acceptedSockets, type HttpSocket, httpConnectionsOf, responseOn, serverOf } from '../node-http.ts';
import { connectionsOf, type NodeServer } from '../node-sockets.ts';
import { isClosingSoon } from './responses.ts';

interface Connection {
  socket: HttpSocket;
  /** Between two requests, with the last response fully sent. */
  isIdle: boolean;
  /** The client has not sent anything yet. Browsers open such connections in advance. */
  isSilent: boolean;
}

export class Connections {
  readonly #servers: ReadonlySet<NodeServer>;
  #bytesBefore = new Map<HttpSocket, number>();

  constructor(servers: ReadonlySet<NodeServer>) {
    this.#servers = servers;
  }

  /** Number of connections of any kind, including upgraded and non-HTTP ones. */
  get count(): number {
    let count = 0;
    for (const server of this.#servers) count += connectionsOf(server);
    return count;
  }

  /** Whether any client has sent data since the last call. */
  hadTraffic(): boolean {
    const before = this.#bytesBefore;
    this.#bytesBefore = new Map(this.#all().map(({ socket }) => [socket, socket.bytesRead]));
    return [...this.#bytesBefore].some(([socket, bytes]) => before.get(socket) !== bytes);
  }

  /** Number of requests that have begun to arrive and are not fully answered. */
  get busy(): number {
    return this.#all().filter(({ isIdle, isSilent }) => !isIdle && !isSilent).length;
  }

  /** Number of busy connections whose response has not begun. */
  get unanswered(): number {
    const isUnanswered = ({ socket, isIdle, isSilent }: Connection) =>
      !isIdle && !isSilent && !responseOn(socket)?.headersSent;
    return this.#all().filter(isUnanswered).length;
  }

  /** Number of connections without a request, on which one may arrive at any time. */
  get open(): number {
    return this.#all().filter(({ isIdle, isSilent }) => isIdle || isSilent).length;
  }

  closeIdle(): void {
    for (const { socket, isIdle, isSilent } of this.#all()) if (isIdle && !isSilent) socket.destroySoon();
  }

  closeSilent(): void {
    for (const { socket, isSilent } of this.#all()) if (isSilent) socket.destroySoon();
  }

  /** Closes connections whose last response announced it. */
  closeAnnounced(): void {
    for (const { socket, isIdle } of this.#all()) if (isIdle && isClosingSoon(socket)) socket.destroySoon();
  }

  /** Also checks all accepted sockets: a server may not know connections that another server accepted for it. */
  #all(): Connection[] {
    const all = new Map<HttpSocket, Connection>();
    for (const server of this.#servers) {
      for (const [socket, isWaiting] of httpConnectionsOf(server)) all.set(socket, seen(socket, isWaiting));
    }
    for (const socket of acceptedSockets()) {
      const { parser } = socket;
      const server = serverOf(socket);
      if (!server || all.has(socket) || !this.#servers.has(server)) continue;
      // A TLS connection whose client has not sent anything. Later the socket on top of it counts.
      const isFresh = server.setSecureContext && socket.bytesRead === 0;
      if (!parser && !isFresh) continue;
      all.set(socket, seen(socket, parser?.incoming?.complete ?? false));
    }
    return [...all.values()];
  }
}

function seen(socket: HttpSocket, isWaiting: boolean): Connection {
  const { writableLength, bytesRead } = socket;
  return { socket, isIdle: isWaiting && !responseOn(socket) && writableLength === 0, isSilent: bytesRead === 0 };
}
