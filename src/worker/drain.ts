// Drain: stop accepting connections, answer all requests, and reset no connections.
//
// Node's own `http.Server.close()` closes idle connections at once, and loses requests that are on their way. The drain
// instead tells clients with `Connection: close` or GOAWAY on their next response. It closes idle connections only
// after no client has sent anything for a while, and later if other processes serve (idle.ts). WebSockets are asked to
// close; other upgraded and raw connections end by themselves.
//
// An app that handles the stop signal gets it only when the requests are answered: most handlers exit at once, or make
// their framework reject requests on existing connections.
import { announceLeaving, send } from './channel.ts';
import { monotonicNow } from './clock.ts';
import { areDelegatesDrained, areDelegatesIdle, hasDelegates, requestsInDelegates } from './delegates/delegates.ts';
import { isKeepingIdle, mayCloseIdle, reportIdle } from './idle.ts';
import { onCloseIdle } from './node-http.ts';
import { handleIn, isUnref, type NodeServer, type NodeServerHandle, setHandle } from './node-sockets.ts';
import { Connections } from './servers/connections.ts';
import { announceClose } from './servers/responses.ts';
import { handleOf, servers } from './servers/servers.ts';
import { closeEnded, closeSessions, endedSessions, openSessions, openStreams } from './servers/sessions.ts';
import { closeWebSockets } from './servers/websockets.ts';
import { HandedOver } from './sockets/handed-over.ts';
import { Pending } from './sockets/pending.ts';
import { isPassingOn } from './sockets/spread.ts';

/** Saved, because an app may replace the globals, for example with fake timers. */
const { setInterval, clearInterval, setTimeout, setImmediate } = globalThis;

const betweenLooks = 50;
/**
 * Connections count as quiet after this many looks without traffic: one second, and longer on an overloaded machine,
 * where the clients may be slow too.
 */
const quietLooks = 20;
/** For connections that have sent nothing yet. A client that has just connected is likely to send a request. */
const silentLooks = 3 * quietLooks;
const betweenReports = 200;

/** Servers that no longer accept connections. The app does not notice. */
const retired = new Set<NodeServer>();

/** Makes all servers stop accepting connections. */
function stopAccepting(): void {
  announceLeaving();
  for (const server of [...servers]) retire(server);
  if (retired.size > 0) announceClose();
}

export function isRetired(server: NodeServer): boolean {
  return retired.has(server);
}

/** Drains servers that the app has closed before it exits. */
export function redirectClosed(closed: ReadonlySet<NodeServer>): void {
  announceLeaving();
  for (const server of closed) retired.add(server);
  announceClose();
  afterReading(createLook()).unref();
}

function retire(server: NodeServer): void {
  const handle = handleIn(server);
  // A pending server is retired once the daemon has answered.
  if (handle instanceof Pending || retired.has(server)) return;
  retired.add(server);
  if (!handle) {
    retireTaken(server);
    return;
  }
  if (handle instanceof HandedOver) {
    handle.retire();
    return;
  }
  if (isPassedOn(handle)) {
    countConnections(handle);
    return;
  }
  const address = server.address();
  const standIn = new Pending(typeof address === 'object' && address ? address : undefined);
  if (isUnref(server)) standIn.unref();
  setHandle(server, standIn);
  handle.close();
}

/** The primary of a cluster accepts no more. It still passes on what it has accepted. */
function retireTaken(server: NodeServer): void {
  const handle = handleOf(server);
  if (handle instanceof HandedOver) handle.retire();
  else if (handle) {
    keepAddress(handle);
    handle.close();
  }
}

/**
 * Lets a closed handle answer with its address. Node's primary tells it to each new worker, and a worker that is told none
 * fails with EADDRINUSE. An app that replaces its dead workers would fork and fail until the drain is over.
 */
function keepAddress(handle: NodeServerHandle): void {
  const address = {};
  if (handle.getsockname?.(address) !== 0) return;
  handle.getsockname = (out) => {
    Object.assign(out, address);
    return 0;
  };
}

/** Whether it is what a worker of Node's cluster has for a handle: the primary accepts, and passes connections on. */
function isPassedOn(handle: NodeServerHandle): boolean {
  return Object.getPrototypeOf(handle) === Object.prototype;
}

let passedOn = 0;

function countConnections(handle: NodeServerHandle): void {
  const { onconnection } = handle;
  handle.onconnection = function (...args) {
    passedOn += 1;
    onconnection?.apply(this, args);
  };
}

/** Number of connections that servers got from the primary of a cluster after they were retired. */
export function connectionsPassedOn(): number {
  return passedOn;
}

/** Calls `done` when no connection is left. Keeps the process alive until then. */
export function drain(done: () => void): void {
  const look = createLook();
  untilDone(() => {
    stopAccepting();
    closeSessions();
    closeWebSockets();
    const areDrained = areDelegatesDrained();
    const { count, open, isLate } = look();
    const isOver = count === 0 && areDrained && !isPassingOn();
    if (!isOver && isLate && open + endedSessions() === count && areDelegatesIdle()) reportIdle();
    return isOver;
  }, done);
}

/**
 * Calls `done` when all requests are answered and the clients know to connect elsewhere, or after `timeout` ms. A
 * response that the app has started, such as an endless stream, is left to the app, and so are idle connections that
 * are still kept after `timeout`: how long the app's handler takes is not known, and what it saves may be worth more.
 */
export function answerFirst(timeout: number, done: () => void): void {
  const look = createLook();
  const end = monotonicNow() + timeout;
  let isOver = false;
  const over = () => {
    isOver = true;
  };
  setTimeout(over, timeout).unref();
  untilDone(() => {
    stopAccepting();
    closeSessions();
    const areDrained = areDelegatesDrained(end);
    const { open, isQuiet, isLate, ...sight } = look();
    const isAnswered = sight.isAnswered && !isPassingOn();
    const isLast = isAnswered && areDrained && isQuiet && (open === 0 || !isKeepingIdle());
    if (!isLast && isLate && sight.isAnswered && areDelegatesIdle()) reportIdle();
    return isLast || isOver;
  }, done);
}

/** Whether it has stopped servers that were its own. Of the connections of delegates, it knows too little. */
export function hasServed(): boolean {
  return retired.size > 0 && !hasDelegates();
}

/** Whether it has served, has no connection of a client left, and accepts none. */
export function isServedOut(): boolean {
  return hasServed() && [...servers].every(isRetired) && new Connections(retired).count === 0;
}

let isAssisted = false;

/** Closes idle connections of an app that stops by itself: its `close` would cut off requests on their way. */
export function assist(): void {
  if (isAssisted) return;
  isAssisted = true;
  for (const server of retired) if (server.closeIdleConnections) onCloseIdle(server, () => {});
  const look = createLook();
  const step = () => {
    closeSessions();
    look();
  };
  // The connections themselves keep the process alive.
  afterReading(step).unref();
}

/**
 * Lets the process end when nothing is left but servers without connections, once the app's handlers have begun. Many of
 * them clean up, but leave the exit to others, such as that of OpenTelemetry; and no server accepts any more. What a
 * handler waits for keeps the process alive, and so does all other work of the app.
 */
export function unrefServers(): void {
  const timer = afterReading(() => {
    clearInterval(timer);
    for (const server of retired) handleIn(server)?.unref();
    process.channel?.unref();
  });
}

/** Repeats a step until it returns true. */
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

/** Repeats a step, each time after all received data is read: closing a socket discards unread data. */
export function afterReading(step: () => void): NodeJS.Timeout {
  return setInterval(() => setImmediate(step), betweenLooks);
}

interface Sight {
  /** Connections of any kind. */
  count: number;
  /** Connections without a request. */
  open: number;
  /** No client is likely to send a request. */
  isQuiet: boolean;
  /** A second is over. A reload goes on no sooner, so that not all old processes are there at the same time. */
  isLate: boolean;
  isAnswered: boolean;
}

function createLook(): () => Sight {
  const connections = new Connections(retired);
  let looks = 0;
  let quiet = 0;
  let reported = 0;
  let reportedAt = Number.NEGATIVE_INFINITY;
  return () => {
    const time = monotonicNow();
    looks += 1;
    quiet = connections.hadTraffic() ? 0 : quiet + 1;
    connections.closeAnnounced();
    if (mayCloseIdle(quiet >= quietLooks)) connections.closeIdle();
    if (mayCloseIdle(quiet >= silentLooks)) connections.closeSilent();
    closeEnded(silentLooks);
    const inFlight = connections.busy + openStreams() + requestsInDelegates();
    if (inFlight !== reported && time - reportedAt >= betweenReports) {
      send({ type: 'in-flight', count: inFlight });
      [reported, reportedAt] = [inFlight, time];
    }
    const { count, open, unanswered } = connections;
    const isQuiet = quiet >= quietLooks || open === 0;
    return { count, open, isQuiet, isLate: looks >= quietLooks, isAnswered: unanswered + openSessions() === 0 };
  };
}
