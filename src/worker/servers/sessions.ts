// The http2 sessions of the app's servers. Before version 24, Node keeps no list of them.
//
// Node's own GOAWAY is final: streams that are on their way are refused. RFC 9113, section 6.8, recommends an earlier
// notice, which Node does not support. So the notice is written between Node's frames, and the session ends when the
// client has read it, or has been silent for a second. Over TLS, Node aborts if such a write meets one of its own, so
// there the final GOAWAY is sent at once.
import type { ServerHttp2Session } from 'node:http2';
import type { Socket } from 'node:net';
import { plainSocketOf, sessionSocketOf, streamsOf } from '../node-http.ts';
import type { NodeServer } from '../node-sockets.ts';
import { countStreams } from './request-limit.ts';

/** The sessions, with the looks that have spared them so far. */
const open = new Map<ServerHttp2Session, number>();
const watched = new WeakSet<NodeServer>();
/** The sessions that were told to end. `looks`: since the client has last sent anything. */
const ending = new Map<ServerHttp2Session, { connection: Socket | undefined; bytesRead: number; looks: number }>();

/** Checked by name, so that the module is not loaded for apps that do not use it. */
const http2Servers = ['Http2Server', 'Http2SecureServer'];

export function watchSessions(server: NodeServer): void {
  if (!http2Servers.includes(server.constructor.name) || watched.has(server)) return;
  watched.add(server);
  server.on('session', (session: ServerHttp2Session) => {
    open.set(session, 0);
    countStreams(session);
    session.once('close', () => {
      open.delete(session);
      ending.delete(session);
    });
  });
}

/** Called at each look: tells clients to open no more streams. A session ends with its last stream. */
export function closeSessions(): void {
  for (const session of open.keys()) {
    if (session.closed || session.destroyed || ending.has(session) || isSpared(session)) continue;
    ending.set(session, { connection: sessionSocketOf(session), bytesRead: -1, looks: 0 });
    end(session);
  }
}

/**
 * Whether the client has just connected, and is about to open its first stream. A final GOAWAY would refuse it, and so might
 * the next process that the client comes to, if that one is replaced as well.
 */
function isSpared(session: ServerHttp2Session): boolean {
  const looks = open.get(session) ?? 0;
  open.set(session, looks + 1);
  return looks < sparedLooks && session.state.lastProcStreamID === 0 && !plainSocketOf(session);
}

/** GOAWAY with the highest possible stream id: open no more streams, but those on their way will be answered. */
const notice = Buffer.from('000008' + '07' + '00' + '00000000' + '7fffffff' + '00000000', 'hex');

/** One second, and longer on an overloaded machine, where the clients may be slow too. */
const unansweredLooks = 20;
const sparedLooks = 3 * unansweredLooks;

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
}

/**
 * Called at each look: ends sessions whose client is silent instead of answering the PING, and closes connections on which
 * everything was said, once their client has been silent for so many looks. Node waits for the client to close them, which
 * one that is gone or stopped never does. One that still reads the last answers sends something for what it has read.
 */
export function closeEnded(most: number): void {
  for (const [session, seen] of ending) {
    const { connection } = seen;
    const isAnswering = session.closed && !session.destroyed;
    if (!connection || isAnswering) continue;
    seen.looks = connection.bytesRead === seen.bytesRead ? seen.looks + 1 : 0;
    seen.bytesRead = connection.bytesRead;
    if (seen.looks < (session.destroyed ? most : unansweredLooks)) continue;
    if (session.destroyed) connection.destroy();
    else session.close();
    seen.looks = 0;
  }
}

/** Number of sessions that are over, but whose client has not closed the connection. */
export function endedSessions(): number {
  return [...ending.keys()].filter(({ destroyed }) => destroyed).length;
}

/** Number of sessions, including those that end but still have streams to answer. */
export function openSessions(): number {
  return open.size;
}

export function openStreams(): number {
  let count = 0;
  for (const session of open.keys()) count += streamsOf(session);
  return count;
}
