// The sockets that came from the daemon, under the keys by which it knows them.
import type { BindOrigin } from '../../ipc/worker-messages.ts';
import { tell, tellClosed, whenBack } from '../channel.ts';
import { type NodeHandle, type NodeServerHandle, onClose } from '../node-internals.ts';
import { HandedOver } from './handed-over.ts';

const keys = new WeakMap<NodeHandle, string>();
const byOrigin = new Map<BindOrigin, NodeHandle>();
const handedOver = new Map<string, Set<HandedOver>>();

whenBack(() => {
  for (const [origin, handle] of byOrigin) {
    const key = keys.get(handle);
    const isRr = handle instanceof HandedOver;
    const socket = isRr ? handle.socket : handle;
    if (key !== undefined && socket) tell({ type: 'held', key, way: isRr ? 'rr' : 'handle', origin }, socket);
  }
});

/** The daemon has taken a socket over and gives it back. */
export function renew(origin: BindOrigin, socket: NodeHandle | undefined): void {
  const handle = byOrigin.get(origin);
  if (handle instanceof HandedOver && socket) handle.renew(socket as NodeServerHandle);
  else socket?.close();
}

/** Remembers a socket until it is closed, which the daemon is told. */
export function keep<H extends NodeHandle>(handle: H, key: string, origin: BindOrigin): H {
  keys.set(handle, key);
  byOrigin.set(origin, handle);
  onClose(handle, () => {
    byOrigin.delete(origin);
    tellClosed(key);
  });
  return handle;
}

/** The same for a server that is handed its connections. */
export function keepHandedOver(socket: NodeServerHandle | undefined, key: string, origin: BindOrigin): HandedOver {
  const handle = keep(new HandedOver(socket), key, origin);
  const same = handedOver.get(key) ?? new Set();
  handedOver.set(key, same.add(handle));
  onClose(handle, () => same.delete(handle));
  return handle;
}

/** Undefined for a socket that Node has made in this process. */
export function handleKeyOf(handle: NodeHandle): string | undefined {
  return keys.get(handle);
}

/** The daemon gives one more socket for the same server: that of a slot with no process. False when this is the first. */
export function joinSockets(origin: BindOrigin, extra: NodeServerHandle | undefined): boolean {
  const first = byOrigin.get(origin) as NodeServerHandle | undefined;
  if (!first || !extra) return false;
  extra.onconnection = (errno, client) => first.onconnection?.(errno, client);
  // The first one decides whether the process stays alive.
  extra.unref();
  extra.listen(backlog);
  onClose(first, () => extra.close());
  return true;
}

/** Passes a connection on. When the server is closed the daemon gives it to another process. */
export function acceptConnection(key: string, seq: number, client: NodeHandle | undefined): void {
  if (!client) return;
  const server = [...(handedOver.get(key) ?? [])].find(({ isListening }) => isListening);
  tell({ type: server ? 'accepted' : 'declined', seq });
  if (server) server.onconnection?.(0, client);
  else client.close();
}

/** As Node's own default. */
const backlog = 511;
