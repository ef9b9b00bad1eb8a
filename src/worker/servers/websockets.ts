// Closes WebSockets with code 1001, "going away" (RFC 6455, section 7.4.1). Clients then reconnect to the successor.
//
// The app's WebSocket library writes the frame, because only it knows what is half written or waits for compression.
// This supports `ws`, which Socket.IO, NestJS and Fastify use too: its sockets reference their WebSocket. Other
// upgraded connections are left alone.
import type { Socket } from 'node:net';
import { acceptedSockets, type ServerSocket, socketBelow, webSocketOf } from '../node-http.ts';
import type { NodeServer } from '../node-sockets.ts';

const goingAway = 1001;

/** TLS sockets by the accepted socket below them, which has no reference to them. */
const secured = new WeakMap<Socket, ServerSocket>();

export function watchSecured(server: NodeServer): void {
  if (server.setSecureContext && !server.listeners('secureConnection').includes(remember)) {
    server.on('secureConnection', remember);
  }
}

function remember(socket: ServerSocket): void {
  const below = socketBelow(socket);
  if (below) secured.set(below, socket);
}

export function closeWebSockets(): void {
  for (const socket of acceptedSockets()) {
    const webSocket = webSocketOf(secured.get(socket) ?? socket);
    if (webSocket && webSocket.readyState === webSocket.OPEN) webSocket.close(goingAway);
  }
}
