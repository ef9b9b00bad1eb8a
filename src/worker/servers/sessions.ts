// The http2 sessions of the app's servers: Node keeps no list of them before version 24.
//
// Node's own GOAWAY is the last word: streams that are on their way are refused with it. RFC 9113, section 6.8, wants a
// notice before, of which Node knows nothing: it is written between Node's frames, and the end comes when the client
// has read it. Over TLS Node aborts when such a write meets one of its own, so there the last word comes at once.
import type { ServerHttp2Session } from 'node:http2';
import { type NodeServer, plainSocketOf, streamsOf } from '../node-internals.ts';
import { countStreams } from './request-limit.ts';

/** Saved: an app may replace it. */
const { setTimeout } = globalThis;

const open = new Set<ServerHttp2Session>();
const watched = new WeakSet<NodeServer>();
const told = new WeakSet<ServerHttp2Session>();

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

/** Tells the clients to open no more streams; a session ends with its last one. */
export function closeSessions(): void {
  for (const session of open) {
    if (session.closed || session.destroyed || told.has(session)) continue;
    told.add(session);
    end(session);
  }
}

/** GOAWAY with the highest of all streams as the last one: open no more, but those on their way are answered. */
const notice = Buffer.from('000008' + '07' + '00' + '00000000' + '7fffffff' + '00000000', 'hex');

/** For clients that answer no PING. */
const patience = 1000;

function end(session: ServerHttp2Session): void {
  const close = () => session.close();
  const socket = plainSocketOf(session);
  if (!socket) {
    close();
    return;
  }
  socket.write(notice, () => {});
  // The answer comes behind all streams that the client has opened before it has read the notice.
  session.ping(close);
  setTimeout(close, patience).unref();
}

/** One that was told is here until its last stream is answered, and the client knows. */
export function openSessions(): number {
  return open.size;
}

export function openStreams(): number {
  let count = 0;
  for (const session of open) count += streamsOf(session);
  return count;
}
