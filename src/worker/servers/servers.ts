// The app's listening servers: a drain closes them, and the daemon reports them as ready.
import { resolve } from 'node:path';
import type { ServerSpeech, WebScheme } from '../../ipc/worker-messages.ts';
import { tell, tellClosed, whenBack } from '../channel.ts';
import { type NodeHandle, type NodeServer, type NodeServerHandle, onClose } from '../node-internals.ts';
import { handleKeyOf } from '../sockets/handles.ts';
import { isPrivatePath } from '../sockets/private-path.ts';
import { onceItHasAll } from './all-ports.ts';
import { watchSessions } from './sessions.ts';
import { watchSecured } from './websockets.ts';

/** Every listening `net.Server` (http, https, http2 and tls included), whoever bound its socket. */
export const servers = new Set<NodeServer>();

/** A null handle means that Node's cluster took the socket over, and its workers handle their own errors. */
export function isServing(): boolean {
  return [...servers].some(({ _handle }) => _handle !== null);
}

/** Also those that Node's cluster has taken from their server. */
const handles = new WeakMap<NodeServer, NodeServerHandle>();

export function handleOf(server: NodeServer): NodeServerHandle | undefined {
  return handles.get(server);
}

/** What the server understands. */
interface Speech {
  speaks?: ServerSpeech;
  scheme?: WebScheme;
}

/** Messages sent to the daemon, by handle. */
const told = new Map<NodeHandle, { key: string; address: string; canLeave?: true } & Speech>();
let ownSockets = 0;

const watchers: ((server: NodeServer) => void)[] = [];

/** Calls `closed` when a server stops listening. */
export function whenClosed(closed: (server: NodeServer) => void): void {
  watchers.push(closed);
}

whenBack(() => {
  for (const news of told.values()) tell({ type: 'listening', ...news });
  if (told.size > 0) tellServing();
});

/** Records that the server listens on the handle. */
export function began(server: NodeServer, handle: NodeServerHandle): void {
  servers.add(server);
  handles.set(server, handle);
  watchSessions(server);
  watchSecured(server);
  onClose(handle, () => {
    servers.delete(server);
    for (const closed of watchers) closed(server);
  });
  const key = handleKeyOf(handle);
  const scheme = schemeOf(server);
  const means = { canLeave: key !== undefined, speaks: speechOf(server), ...(scheme && { scheme }) };
  const address = textOf(server.address());
  if (!isPrivatePath(address)) tellListening(handle, key ?? ownKey(handle), address, means);
}

/**
 * `canLeave`: the process can leave the accept queue of the socket for a while. `speaks`: its server takes connections that
 * the daemon hands over.
 */
export function tellListening(
  handle: NodeHandle,
  key: string,
  address: string,
  { canLeave, ...speech }: { canLeave?: boolean } & Speech = {},
): void {
  const news = { key, address, ...(canLeave && { canLeave }), ...speech };
  told.set(handle, news);
  onClose(handle, () => told.delete(handle));
  tell({ type: 'listening', ...news });
  tellServing();
}

let isSettling = false;

function tellServing(): void {
  if (isSettling) return;
  isSettling = true;
  onceItHasAll(() => {
    isSettling = false;
    if (told.size > 0) tell({ type: 'serving' });
  });
}

/** The process cannot leave the accept queue of the socket after all. */
export function tellStaying(handle: NodeHandle): void {
  const news = told.get(handle);
  if (!news) return;
  const { canLeave: _, ...now } = news;
  told.set(handle, now);
  tell({ type: 'listening', ...now });
}

/** The key that the daemon knows the handle by. */
export function keyToldOf(handle: NodeHandle): string | undefined {
  return told.get(handle)?.key;
}

/** Without TLS, a server of http2 understands nothing else. */
function speechOf(server: NodeServer): ServerSpeech {
  return server.constructor.name === 'Http2Server' ? 'http2' : 'any';
}

/** Undefined for a server that browsers do not understand. */
function schemeOf(server: NodeServer): WebScheme | undefined {
  const isSecure = 'setSecureContext' in server;
  // All but plain http2, which has this property of HTTP/1 only with TLS.
  if ('maxHeadersCount' in server || server.constructor.name === 'Http2SecureServer')
    return isSecure ? 'https' : 'http';
  return undefined;
}

/** A key for a socket that the daemon does not hold, such as with `exclusive` or `fd`. */
function ownKey(handle: NodeHandle): string {
  ownSockets += 1;
  const key = `own|${ownSockets}`;
  onClose(handle, () => tellClosed(key));
  return key;
}

function textOf(address: ReturnType<NodeServer['address']>): string {
  if (typeof address === 'string') return address.startsWith('\0') ? address : resolve(address);
  return address ? `${address.address}:${address.port}` : '';
}
