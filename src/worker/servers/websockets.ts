// WebSockets are told to go elsewhere: 1001, "going away" (RFC 6455, section 7.4.1). The client closes, and connects to
// the successor.
//
// The frame is left to the app's library, which alone knows what it has half written or still has to compress. That is
// `ws`, also below Socket.IO, NestJS and Fastify: its sockets know their WebSocket. What else was upgraded gets nothing.
import type { Socket } from 'node:net';
import { acceptedSockets, type NodeServer, type ServerSocket, webSocketOf } from '../node-internals.ts';

const goingAway = 1001;

/** By the sockets that were accepted: those know nothing of the TLS on top of them. */
const secured = new WeakMap<Socket, ServerSocket>();

export function watchSecured(server: NodeServer): void {
  if (server.setSecureContext && !server.listeners('secureConnection').includes(remember)) {
    server.on('secureConnection', remember);
  }
}

function remember(socket: ServerSocket): void {
  if (socket._parent) secured.set(socket._parent, socket);
}

export function closeWebSockets(): void {
  for (const socket of acceptedSockets()) {
    const webSocket = webSocketOf(secured.get(socket) ?? socket);
    if (webSocket && webSocket.readyState === webSocket.OPEN) webSocket.close(goingAway);
  }
}
