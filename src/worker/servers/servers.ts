// The app's listening servers: a drain closes them, and the daemon reports them as ready.
import { basename, resolve } from 'node:path';
import type { ListeningNews, ServerSpeech, WebScheme } from '../../ipc/worker-messages.ts';
import { onReconnected, reportClosed, send } from '../channel.ts';
import { monotonicNow } from '../clock.ts';
import {
  connectionsOf,
  handleIn,
  hasRequest,
  type NodeHandle,
  type NodeServer,
  type NodeServerHandle,
  onClose,
} from '../node-sockets.ts';
import { onceNoneWaits } from '../sockets/grants.ts';
import { handleKeyOf } from '../sockets/handles.ts';
import { watchSessions } from './sessions.ts';
import { watchSecured } from './websockets.ts';

/** Saved, because an app may replace the global, for example with fake timers. */
const { setTimeout } = globalThis;

/** Milliseconds. */
const betweenLooks = 10;
/** Milliseconds for which files are waited for. A pipe among them may be open for ever. */
const longestRead = 500;

/** Every listening `net.Server` (http, https, http2 and tls included), whoever bound its socket. */
export const servers = new Set<NodeServer>();

/** A null handle means that Node's cluster took the socket over, and its workers handle their own errors. */
export function hasServers(): boolean {
  return [...servers].some(handleIn);
}

/** Also those that Node's cluster has taken from their server. */
const handles = new WeakMap<NodeServer, NodeServerHandle>();

export function handleOf(server: NodeServer): NodeServerHandle | undefined {
  return handles.get(server);
}

/** Messages sent to the daemon, by handle. */
const reported = new Map<NodeHandle, ListeningNews>();
let ownSockets = 0;

const watchers: ((server: NodeServer) => void)[] = [];

/** Calls `closed` when a server stops listening. */
export function whenClosed(closed: (server: NodeServer) => void): void {
  watchers.push(closed);
}

onReconnected(() => {
  for (const news of reported.values()) send({ type: 'listening', ...news });
  if (reported.size > 0) reportServing();
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
  const isOnDemand = [...servers].some((other) => connectionsOf(other) > 0);
  const flags = { ...(key !== undefined && { canLeave: true }), ...(isOnDemand && { isOnDemand }) };
  const means = { ...flags, speaks: speechOf(server), ...(scheme && { scheme }) };
  const address = textOf(server.address());
  if (!isPrivatePath(address)) reportListening(handle, key ?? ownKey(handle), address, means);
}

export function reportListening(
  handle: NodeHandle,
  key: string,
  address: string,
  means: Omit<ListeningNews, 'key' | 'address'> = {},
): void {
  const news = { key, address, ...means };
  reported.set(handle, news);
  onClose(handle, () => reported.delete(handle));
  send({ type: 'listening', ...news });
  reportServing();
}

let isSettling = false;

function reportServing(): void {
  if (isSettling) return;
  isSettling = true;
  onceItHasAll(() => {
    isSettling = false;
    if (reported.size > 0) send({ type: 'serving' });
  });
}

/**
 * Calls back when the process asks for no more sockets, and reads no more files: then it is loading nothing. An app with several
 * ports can serve when it has them all, and many open the first one before they have loaded what the others need.
 */
function onceItHasAll(done: () => void, begin = monotonicNow()): void {
  onceNoneWaits(() => {
    if (!hasRequest(/^FSReq/) || monotonicNow() - begin > longestRead) done();
    else setTimeout(onceItHasAll, betweenLooks, done, begin).unref();
  });
}

/** The process cannot leave the accept queue of the socket after all. */
export function reportStaying(handle: NodeHandle): void {
  const news = reported.get(handle);
  if (!news) return;
  const { canLeave: _, ...staying } = news;
  reported.set(handle, staying);
  send({ type: 'listening', ...staying });
}

/** The key that the daemon knows the handle by. */
export function reportedKeyOf(handle: NodeHandle): string | undefined {
  return reported.get(handle)?.key;
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
  onClose(handle, () => reportClosed(key));
  return key;
}

function textOf(address: ReturnType<NodeServer['address']>): string {
  if (typeof address === 'string') return address.startsWith('\0') ? address : resolve(address);
  return address ? `${address.address}:${address.port}` : '';
}

/** A Unix socket with the pid in its name, as tsx has it, is for processes that this one starts: nobody else can know it. */
export function isPrivatePath(address: string): boolean {
  return address.startsWith('/') && basename(address).split(/\D+/).includes(String(process.pid));
}
