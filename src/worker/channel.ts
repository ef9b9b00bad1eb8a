// Typed messages to and from the daemon, over Node's own IPC channel.
import { writeSync } from 'node:fs';
import { type DownMessage, marker, type UpMessage } from '../ipc/worker-messages.ts';
import { type DaemonLink, keepLink } from './daemon-link.ts';
import type { NodeHandle } from './node-sockets.ts';
import { keepChannel } from './reconnect.ts';

type WithoutMarker<M> = M extends unknown ? Omit<M, 'cmd'> : never;
/** Node accepts raw handles too, but its types list only the objects built on them. */
type Send = (
  message: object | 'ready',
  handle: NodeHandle | undefined,
  options: undefined,
  done: () => void,
) => boolean;
export type OutgoingMessage = WithoutMarker<UpMessage>;

/** Saved, because an app may wrap it to see its own messages. */
const sendRaw = process.send?.bind(process) as Send | undefined;
const disconnect = process.disconnect?.bind(process);
/** Saved, because an app may replace it, for example with fake timers. */
const nextTick = process.nextTick.bind(process);

/** What is left of the channel after the app has called `process.disconnect()`. */
let link: DaemonLink | undefined;
let endLink = () => {};

interface Route {
  /** Whether sockets of the daemon can be had there. */
  hasSockets: boolean;
  send(message: OutgoingMessage): void;
}

let route: Route | undefined;

/** In a thread, or a process that the app has forked: what is told goes elsewhere than to the daemon. */
export function routeThrough(to: Route): void {
  route = to;
}

/** False once the daemon is gone for good. */
export function isConnected(): boolean {
  if (route) return route.hasSockets;
  return process.connected || link?.isOpen === true;
}

/** Whether messages of the daemon's user reach the app. */
export function hasAppChannel(): boolean {
  return process.connected;
}

/** With a callback, a failed write emits no 'error' in the app. "disconnect" follows and is enough. */
function write(message: object | 'ready', handle?: NodeHandle): void {
  if (link) link.send(message, handle);
  else sendRaw?.(message, handle, undefined, () => {});
}

let isLeaving = false;

/** Stops reporting closed sockets: the daemon knows that this process is leaving, and would give them up. */
export function announceLeaving(): void {
  isLeaving = true;
}

let hasDaemon = true;

/** Whether there is currently no daemon. The next one is told everything it needs to know. */
export function isWithoutDaemon(): boolean {
  return !hasDaemon;
}

/** The last message of each lasting type, repeated to the next daemon. */
const lasting = new Map<OutgoingMessage['type'], OutgoingMessage>();
const lastingTypes: readonly OutgoingMessage['type'][] = ['loaded', 'leaving', 'request-limit', 'disconnected'];

/** Waits a tick: closing its last socket may show that the process is leaving, and then nothing is reported. */
export function reportClosed(key: string): void {
  nextTick(() => send({ type: 'closed', key }));
}

export function send(message: OutgoingMessage, handle?: NodeHandle): void {
  if (route) {
    route.send(message);
    return;
  }
  if (lastingTypes.includes(message.type)) lasting.set(message.type, message);
  if (!isConnected() || (isLeaving && message.type === 'closed')) return;
  // Sent even without a daemon, as an app reports only once that it listens to messages.
  if (isWithoutDaemon() && message.type !== 'wants-messages') return;
  write({ cmd: marker, ...message }, handle);
}

/** Listens to 'internalMessage' instead of 'message': the app does not see it, and the event loop is not kept alive. */
export function onDaemonMessage(listener: (message: DownMessage, handle?: NodeHandle) => void): void {
  process.on('internalMessage' as 'message', (message, handle) => {
    if (isOurs(message)) listener(message, handle as NodeHandle | undefined);
  });
  endLink = keepLink({
    onMessage: listener,
    began(begun) {
      link = begun;
      send({ type: 'disconnected' });
    },
    ended: notifyWatchers,
  });
}

function isOurs(message: unknown): message is DownMessage {
  return typeof message === 'object' && message !== null && 'cmd' in message && message.cmd === marker;
}

const lostListeners = new Set<() => void>();
const reconnectListeners: (() => void)[] = [];

/** Calls `left` whenever the daemon dies and another can be expected; the returned function unsubscribes. */
export function onDaemonLost(left: () => void): () => void {
  lostListeners.add(left);
  return () => lostListeners.delete(left);
}

/** Calls `report` to inform each new daemon, in the order of registration. */
export function onReconnected(report: () => void): void {
  reconnectListeners.push(report);
}

/** The text Node writes for it with the default serialization. */
const readyText = `${JSON.stringify('ready')}\n`;
/** Sent only once, so it is repeated to the next daemon: the old one may have died before it read it. */
let hasSentReady = false;

/** Keeps the process connected across daemon deaths. `mark` identifies it to the next daemon. */
export function outliveDaemon(address: string, mark: string): void {
  keepChannel(address, {
    lost() {
      hasDaemon = false;
      for (const left of [...lostListeners]) left();
    },
    back() {
      hasDaemon = true;
      send({ type: 'reconnected', mark, pid: process.pid });
      for (const report of reconnectListeners) report();
      if (isLeaving && !lasting.has('leaving')) send({ type: 'leaving', reason: 'it was leaving already' });
      for (const message of [...lasting.values()]) send(message);
      if (hasSentReady) write('ready');
      send({ type: 'sockets-returned' });
    },
    sent(text) {
      hasSentReady ||= text === readyText;
    },
  });
}

/** The daemon has closed the channel for good. For the app it is as if it had called `process.disconnect()`. */
export function endChannel(reason: string): void {
  try {
    writeSync(2, `nsv: the daemon has closed the IPC channel of this process, because ${reason}\n`);
  } catch {
    // Standard error is closed, or its disk is full. The daemon's log says it too.
  }
  endLink();
  if (process.connected) disconnect?.();
  else notifyWatchers();
}

const watchers = new Set<() => void>();

/** Calls `lost` when the channel closes; the returned function unsubscribes. Until then the event loop stays alive. */
export function onceLost(lost: () => void): () => void {
  // One shared listener: more than ten would be reported as a leak.
  if (watchers.size === 0) process.on('disconnect', disconnected);
  watchers.add(lost);
  return () => {
    if (watchers.delete(lost) && watchers.size === 0) process.off('disconnect', disconnected);
  };
}

function disconnected(): void {
  if (!isConnected()) notifyWatchers();
}

function notifyWatchers(): void {
  process.off('disconnect', disconnected);
  const all = [...watchers];
  watchers.clear();
  for (const lost of all) lost();
}
