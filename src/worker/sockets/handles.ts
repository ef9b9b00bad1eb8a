// The sockets received from the daemon, with the keys that it knows them by.
import type { BindOrigin } from '../../ipc/worker-messages.ts';
import { onReconnected, reportClosed, send } from '../channel.ts';
import { type NodeHandle, type NodeServerHandle, onClose } from '../node-sockets.ts';
import { HandedOver } from './handed-over.ts';

const keys = new WeakMap<NodeHandle, string>();
const byOrigin = new Map<BindOrigin, NodeHandle>();
const handedOver = new Map<string, Set<HandedOver>>();

onReconnected(() => {
  for (const [origin, handle] of byOrigin) {
    const key = keys.get(handle);
    const isRr = handle instanceof HandedOver;
    const socket = isRr ? handle.socket : handle;
    if (key !== undefined && socket && socket.isOpen?.() !== false)
      send({ type: 'return-socket', key, mode: isRr ? 'handed' : 'handle', origin }, socket);
  }
});

/** Replaces a socket with the one that the next daemon sends back after taking it over. */
export function renew(origin: BindOrigin, socket: NodeHandle | undefined): void {
  const handle = byOrigin.get(origin);
  if (handle instanceof HandedOver && socket) handle.renew(socket as NodeServerHandle);
  else socket?.close();
}

export function hasSocketFor(origin: BindOrigin): boolean {
  return byOrigin.has(origin);
}

/** Remembers a socket, and tells the daemon when it is closed. */
export function keep<H extends NodeHandle>(handle: H, key: string, origin: BindOrigin): H {
  keys.set(handle, key);
  byOrigin.set(origin, handle);
  onClose(handle, () => {
    byOrigin.delete(origin);
    reportClosed(key);
  });
  return handle;
}

/** Does the same for a server whose connections the daemon passes on. */
export function keepHandedOver(socket: NodeServerHandle | undefined, key: string, origin: BindOrigin): HandedOver {
  const handle = keep(new HandedOver(socket), key, origin);
  const same = handedOver.get(key) ?? new Set();
  handedOver.set(key, same.add(handle));
  onClose(handle, () => same.delete(handle));
  return handle;
}

/** Whether the daemon accepts all connections of the socket. */
export function isHandedOver(key: string): boolean {
  return handedOver.has(key);
}

/** Undefined for a socket that Node has created in this process. */
export function handleKeyOf(handle: NodeHandle): string | undefined {
  return keys.get(handle);
}

/** Passes a connection to its server. If the server is closed, the daemon gives the connection to another process. */
export function acceptConnection(key: string, seq: number, client: NodeHandle | undefined): void {
  if (!client) return;
  const server = [...(handedOver.get(key) ?? [])].find(({ isListening }) => isListening);
  send({ type: server ? 'accepted' : 'declined', seq });
  if (server) server.onconnection?.(0, client);
  else client.close();
}
