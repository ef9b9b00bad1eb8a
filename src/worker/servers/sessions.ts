// The http2 sessions of the app's servers. Before version 24, Node keeps no list of them.
//
// Node's own GOAWAY is final: streams that are on their way are refused. RFC 9113, section 6.8, recommends an earlier
// notice, which Node does not support. So the notice is written between Node's frames, and the session ends when the
// client has read it. Over TLS, Node aborts if such a write meets one of its own, so there the final GOAWAY is sent at
// once.
import type { ServerHttp2Session } from 'node:http2';
import { type NodeServer, plainSocketOf, streamsOf } from '../node-internals.ts';
import { countStreams } from './request-limit.ts';

/** Saved, because an app may replace it. */
const { setTimeout } = globalThis;

const open = new Set<ServerHttp2Session>();
const watched = new WeakSet<NodeServer>();
const told = new WeakSet<ServerHttp2Session>();

/** Checked by name, so that the module is not loaded for apps that do not use it. */
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

/** Tells clients to open no more streams. A session ends with its last stream. */
export function closeSessions(): void {
  for (const session of open) {
    if (session.closed || session.destroyed || told.has(session)) continue;
    told.add(session);
    end(session);
  }
}

/** GOAWAY with the highest possible stream id: open no more streams, but those on their way will be answered. */
const notice = Buffer.from('000008' + '07' + '00' + '00000000' + '7fffffff' + '00000000', 'hex');

/** Milliseconds to wait for the PING reply. */
const patience = 1000;

function end(session: ServerHttp2Session): void {
  const close = () => session.close();
  const socket = plainSocketOf(session);
  if (!socket) {
    close();
    return;
  }
  socket.write(notice, () => {});
  // The reply arrives after all streams that the client opened before it read the notice.
  session.ping(close);
  setTimeout(close, patience).unref();
}

/** Number of sessions, including those that end but still have streams to answer. */
export function openSessions(): number {
  return open.size;
}

export function openStreams(): number {
  let count = 0;
  for (const session of open) count += streamsOf(session);
  return count;
}
