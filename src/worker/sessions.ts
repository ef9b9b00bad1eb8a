// The http2 sessions of the app's servers: Node keeps no list of them before version 24.
import type { ServerHttp2Session } from 'node:http2';
import { type NodeServer, streamsOf } from './node-internals.ts';
import { countStreams } from './request-limit.ts';

const open = new Set<ServerHttp2Session>();
const watched = new WeakSet<NodeServer>();

/** By name: the module must not be loaded for apps that have no use for it. */
const http2Servers = ['Http2Server', 'Http2SecureServer'];

export function watchSessions(server: NodeServer): void {
  if (!http2Servers.includes(server.constructor.name) || watched.has(server)) return;
  watched.add(server);
  server.on('session', (session: ServerHttp2Session) => {
    open.add(session);
    countStreams(session);
    session.once('close', () => open.delete(session));
  });
}

/** Tells the clients to open no more streams (GOAWAY); a session ends with its last one. */
export function closeSessions(): void {
  for (const session of open) if (!session.closed) session.close();
}

export function openStreams(): number {
  let count = 0;
  for (const session of open) count += streamsOf(session);
  return count;
}
