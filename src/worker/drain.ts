// Drain: accept no more, answer what is there, and let nobody find a closed door.
//
// Node's own `http.Server.close()` closes idle connections at once, and with them the requests that are on their way.
// Here a client is told by `Connection: close`, or GOAWAY, on the answer to its next request; only after a while in
// which nobody on any connection has spoken are the idle ones closed. WebSockets are asked to close; other upgraded and
// raw connections end by themselves.
//
// An app that ends by itself gets its signal only when the requests are answered: most handlers exit at once, or have
// their framework refuse what still comes on the connections that exist.
import { announceLeaving, tell } from './channel.ts';
import { type NodeServer, onCloseIdle } from './node-internals.ts';
import { Connections } from './servers/connections.ts';
import { announceClose } from './servers/responses.ts';
import { servers } from './servers/servers.ts';
import { closeSessions, openSessions, openStreams } from './servers/sessions.ts';
import { closeWebSockets } from './servers/websockets.ts';
import { HandedOver } from './sockets/handed-over.ts';
import { Pending } from './sockets/pending.ts';

/** Saved: an app may replace the globals, with fake timers for instance. */
const { setInterval, setImmediate, performance } = globalThis;

const betweenLooks = 50;
/**
 * For so many looks nobody has spoken: a second, and longer on a machine that has no time, as then the clients may have
 * none either.
 */
const quietLooks = 20;
/** Who has just connected will speak, sooner or later; who has had an answer may have nothing to say. */
const silentLooks = 3 * quietLooks;
const betweenReports = 200;

/** Those whose listening part is closed. To the app they look as before. */
const retired = new Set<NodeServer>();
/** Those of them whose idle connections the app has asked to close. */
const asked = new WeakSet<NodeServer>();

/** Closes the listening part of all servers. */
function stopAccepting(): void {
  announceLeaving();
  for (const server of [...servers]) retire(server);
  if (retired.size > 0) announceClose();
}

export function isRetired(server: NodeServer): boolean {
  return retired.has(server);
}

/** For servers that the app has closed while it is about to exit. */
export function sendAway(closed: ReadonlySet<NodeServer>): void {
  announceLeaving();
  for (const server of closed) retired.add(server);
  announceClose();
  afterReading(createLook(() => true)).unref();
}

function retire(server: NodeServer): void {
  const handle = server._handle;
  // Null: Node's cluster has taken it over. A server that waits for the daemon has its turn when the answer is there.
  if (!handle || handle instanceof Pending || retired.has(server)) return;
  retired.add(server);
  if (handle instanceof HandedOver) {
    handle.retire();
    return;
  }
  const address = server.address();
  const standIn = new Pending(typeof address === 'object' && address ? address : undefined);
  if (server._unref) standIn.unref();
  server._handle = standIn;
  handle.close();
}

/** Calls `done` when no connection is left. Keeps the process alive until then. */
export function drain(done: () => void): void {
  const look = createLook(() => true);
  untilDone(() => {
    stopAccepting();
    closeSessions();
    closeWebSockets();
    return look().count === 0;
  }, done);
}

/**
 * Calls `done` when the requests are answered and the clients know that they have to ask elsewhere, or after `patience`
 * ms. What the app has begun to answer, an endless stream for one, is its own to end.
 */
export function answerFirst(patience: number, done: () => void): void {
  const look = createLook(() => true);
  const deadline = performance.now() + patience;
  untilDone(() => {
    stopAccepting();
    closeSessions();
    return look().isSettled || performance.now() >= deadline;
  }, done);
}

let isAssisted = false;

/** For an app that ends by itself: its `close` is kept from cutting off requests that are on their way. */
export function assist(): void {
  if (isAssisted) return;
  isAssisted = true;
  for (const server of retired) {
    if (server.closeIdleConnections) onCloseIdle(server, () => void asked.add(server));
  }
  const look = createLook((server) => asked.has(server));
  const step = () => {
    closeSessions();
    look();
  };
  // The connections themselves keep the process alive.
  afterReading(step).unref();
}

/** Takes steps until one says that it was the last. */
function untilDone(isLast: () => boolean, done: () => void): void {
  let isDone = false;
  const step = () => {
    if (isDone || !isLast()) return;
    isDone = true;
    clearInterval(timer);
    done();
  };
  const timer = afterReading(step);
  setImmediate(step);
}

/** Again and again, each time when everything that has arrived is read: what is closed unread is lost. */
function afterReading(step: () => void): NodeJS.Timeout {
  return setInterval(() => setImmediate(step), betweenLooks);
}

interface Sight {
  /** Connections that are left. */
  count: number;
  /** No request waits for its answer, and no client is about to send one. */
  isSettled: boolean;
}

function createLook(mayClose: (server: NodeServer) => boolean): () => Sight {
  const connections = new Connections(retired);
  let quiet = 0;
  let reported = 0;
  let reportedAt = Number.NEGATIVE_INFINITY;
  return () => {
    const now = performance.now();
    quiet = connections.haveSpoken() ? 0 : quiet + 1;
    connections.closeTold();
    if (quiet >= quietLooks) connections.closeIdle(mayClose);
    if (quiet >= silentLooks) connections.closeSilent(mayClose);
    const inFlight = connections.busy + openStreams();
    if (inFlight !== reported && now - reportedAt >= betweenReports) {
      tell({ type: 'in-flight', count: inFlight });
      [reported, reportedAt] = [inFlight, now];
    }
    const isQuiet = quiet >= quietLooks || connections.open === 0;
    return { count: connections.count, isSettled: isQuiet && connections.unanswered + openSessions() === 0 };
  };
}
