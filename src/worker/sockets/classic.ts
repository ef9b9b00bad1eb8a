// The classic master-worker style: the app receives its servers by `process.on('message', (m, server) => ...)`.
import { Server } from 'node:net';
import { hasAppChannel, send } from '../channel.ts';
import { listenOnHandle, type NodeHandle, type NodeServer, type NodeServerHandle, setHandle } from '../node-sockets.ts';
import { hasSocketFor, keep, keepHandedOver } from './handles.ts';

/** Requests the sockets of `--listen` as soon as the app listens to messages. */
export function watchForMessages(): void {
  const added = (event: string | symbol) => {
    if (event !== 'message' || !hasAppChannel()) return;
    process.off('newListener', added);
    send({ type: 'wants-messages' });
  };
  process.on('newListener', added);
}

/** Passes the app a server for the address. Without a socket, the server receives connections from the daemon. */
export function introduce(key: string, socket: NodeHandle | undefined): void {
  // A message that was on its way when the daemon died may arrive twice.
  if (hasSocketFor(key)) {
    socket?.close();
    return;
  }
  const server = new Server() as NodeServer;
  setHandle(server, socket ? keep(socket as NodeServerHandle, key, key) : keepHandedOver(undefined, key, key));
  // An app with a 'message' listener may still call `listen` itself, so an unused server must accept nothing. A server
  // passed to another server's `listen` does not listen here either.
  const added = (event: string | symbol) => {
    if (event !== 'connection') return;
    server.off('newListener', added);
    listenOnHandle(server);
  };
  server.on('newListener', added);
  process.emit('message', 'server', server);
}
