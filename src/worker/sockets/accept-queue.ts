// Leaving the accept queue: servers accept nothing for a while, although they listen, and come back. The app does not
// notice. The socket stays open and is not polled, so nothing needs to be sent to come back, and what is in its queue
// is accepted by another process of the app.
//
// Only the daemon knows whether others accept, so only the daemon sends a process away. Without it, nobody could call
// the process back: a process that loses its daemon, or its channel, comes back at once.
import { onceLost, onDaemonLost } from '../channel.ts';
import { KeepAlive } from '../keep-alive.ts';
import { handleIn, type NodeServerHandle, onClose, startPolling, stopPolling } from '../node-sockets.ts';
import { reportStaying, servers } from '../servers/servers.ts';
import { HandedOver } from './handed-over.ts';
import { handleKeyOf } from './handles.ts';

/** Saved, because an app may replace them, for example with fake timers. */
const { setTimeout, clearTimeout } = globalThis;

/** Handles from which nothing is accepted for now, each with what ends that. */
const outside = new Map<NodeServerHandle, () => void>();
/** Handles from which nothing is accepted for a moment, because it is the turn of others. */
const aside = new Map<NodeServerHandle, NodeJS.Timeout>();
const watched = new WeakSet<NodeServerHandle>();
let isWatching = false;
const watchers: ((isOut: boolean) => void)[] = [];

/** Calls `moved` when the process has left a queue, and when it is back in all of them. */
export function whenMoved(moved: (isOut: boolean) => void): void {
  watchers.push(moved);
}

/** Whether the process has a server from which it accepts nothing for now. */
export function isOutside(): boolean {
  return outside.size > 0;
}

/** Accepts from no socket with one of these keys, and from all others. */
export function leaveQueues(keys: readonly string[]): void {
  for (const handle of outside.keys()) if (!isAmong(keys, handle)) rejoin(handle);
  for (const server of servers) {
    const handle = handleIn(server);
    if (handle && isAmong(keys, handle)) leaveQueue(handle);
  }
  for (const moved of watchers) moved(outside.size > 0);
}

function isAmong(keys: readonly string[], handle: NodeServerHandle): boolean {
  return keys.includes(handleKeyOf(handle) ?? '');
}

/** Accepts nothing from a server that listens, until `leaveQueues` says otherwise. */
export function leaveQueue(handle: NodeServerHandle): void {
  if (outside.has(handle)) return;
  watch(handle);
  // With `rr`, the daemon just sends no more connections.
  if (handle instanceof HandedOver) outside.set(handle, () => {});
  else if (!stopPolling(handle)) reportStaying(handle);
  else outside.set(handle, keepAlive(handle));
}

/** Accepts nothing for so many milliseconds. The timer keeps the event loop alive, as the socket did. */
export function stepAside(handle: NodeServerHandle, ms: number): void {
  if (outside.has(handle) || aside.has(handle) || !stopPolling(handle)) return;
  watch(handle);
  aside.set(
    handle,
    setTimeout(() => {
      aside.delete(handle);
      if (!outside.has(handle)) startPolling(handle);
    }, ms),
  );
}

function rejoin(handle: NodeServerHandle): void {
  forget(handle);
  if (!(handle instanceof HandedOver)) startPolling(handle);
}

function forget(handle: NodeServerHandle): void {
  outside.get(handle)?.();
  outside.delete(handle);
}

function closed(handle: NodeServerHandle): void {
  forget(handle);
  clearTimeout(aside.get(handle));
  aside.delete(handle);
}

function watch(handle: NodeServerHandle): void {
  if (watched.has(handle)) return;
  watched.add(handle);
  onClose(handle, () => closed(handle));
  if (!isWatching) onDaemonLost(returnAlone);
  isWatching = true;
}

function returnAlone(): void {
  leaveQueues([]);
}

/** Keeps the event loop alive as the socket did, unless the app has told it not to. Returns the function that ends it. */
function keepAlive(handle: NodeServerHandle): () => void {
  const timer = new KeepAlive();
  let unwatch = () => {};
  const ref = () => {
    timer.ref();
    unwatch = onceLost(returnAlone);
  };
  /** Stops watching the channel too, because that keeps the event loop alive. */
  const unref = () => {
    timer.unref();
    unwatch();
  };
  const { ref: refSocket, unref: unrefSocket } = handle;
  handle.ref = () => {
    refSocket.call(handle);
    unref();
    ref();
  };
  handle.unref = () => {
    unrefSocket.call(handle);
    unref();
  };
  if (handle.hasRef?.() === false) unref();
  else ref();
  return () => {
    timer.release();
    unwatch();
    Object.assign(handle, { ref: refSocket, unref: unrefSocket });
  };
}
