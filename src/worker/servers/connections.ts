// The HTTP/1 connections of servers that accept no more, seen from outside: nothing is added to them.
import { acceptedSockets, type HttpSocket, httpConnectionsOf, type NodeServer } from '../node-internals.ts';
import { isTold } from './responses.ts';

interface Connection {
  socket: HttpSocket;
  server: NodeServer;
  /** Between two requests, with the last answer gone. */
  isIdle: boolean;
  /** The client has not said anything yet: browsers open such ones in advance. */
  isSilent: boolean;
}

export class Connections {
  readonly #servers: ReadonlySet<NodeServer>;
  #heard = new Map<HttpSocket, number>();

  constructor(servers: ReadonlySet<NodeServer>) {
    this.#servers = servers;
  }

  /** Of any kind: also those that were upgraded, or never were HTTP. */
  get count(): number {
    let count = 0;
    for (const { _connections } of this.#servers) count += _connections;
    return count;
  }

  /** Whether a client has said something on any of them since the last call. */
  haveSpoken(): boolean {
    const before = this.#heard;
    this.#heard = new Map(this.#all().map(({ socket }) => [socket, socket.bytesRead]));
    return [...this.#heard].some(([socket, bytes]) => before.get(socket) !== bytes);
  }

  /** Requests that have begun to arrive and are not answered in full. */
  get busy(): number {
    return this.#all().filter(({ isIdle, isSilent }) => !isIdle && !isSilent).length;
  }

  /** Those of them whose answer has not even begun. */
  get unanswered(): number {
    const isUnanswered = ({ socket, isIdle, isSilent }: Connection) =>
      !isIdle && !isSilent && !socket._httpMessage?.headersSent;
    return this.#all().filter(isUnanswered).length;
  }

  /** Connections without a request, on which there may be one at any time. */
  get open(): number {
    return this.#all().filter(({ isIdle, isSilent }) => isIdle || isSilent).length;
  }

  closeIdle(mayClose: (server: NodeServer) => boolean): void {
    for (const { socket, server, isIdle, isSilent } of this.#all()) {
      if (isIdle && !isSilent && mayClose(server)) socket.destroySoon();
    }
  }

  closeSilent(mayClose: (server: NodeServer) => boolean): void {
    for (const { socket, server, isSilent } of this.#all()) if (isSilent && mayClose(server)) socket.destroySoon();
  }

  /** Their last response has said so. */
  closeTold(): void {
    for (const { socket, isIdle } of this.#all()) if (isIdle && isTold(socket)) socket.destroySoon();
  }

  /** A server is not known to the one that accepts for it, so the sockets are looked at as well. */
  #all(): Connection[] {
    const all = new Map<HttpSocket, Connection>();
    for (const server of this.#servers) {
      for (const [socket, isWaiting] of httpConnectionsOf(server)) all.set(socket, seen(socket, server, isWaiting));
    }
    for (const socket of acceptedSockets()) {
      const { _server: server, parser } = socket;
      if (!server || all.has(socket) || !this.#servers.has(server)) continue;
      // Below TLS, where the client has not even begun: later the one above is what counts.
      const isFresh = server.setSecureContext && socket.bytesRead === 0;
      if (!parser && !isFresh) continue;
      all.set(socket, seen(socket, server, parser?.incoming?.complete ?? false));
    }
    return [...all.values()];
  }
}

function seen(socket: HttpSocket, server: NodeServer, isWaiting: boolean): Connection {
  const { _httpMessage: response, writableLength, bytesRead } = socket;
  return { socket, server, isIdle: isWaiting && !response && writableLength === 0, isSilent: bytesRead === 0 };
}
