// The typed way to the daemon and back, over Node's own IPC channel.
import { type DownMessage, marker, type UpMessage } from '../ipc/worker-messages.ts';
import type { NodeHandle } from './node-internals.ts';
import { keepChannel } from './relay.ts';

type WithoutMarker<M> = M extends unknown ? Omit<M, 'cmd'> : never;
/** Node sends bare handles as well as what it makes of them, but its types know only the latter. */
type Send = (
  message: object | 'ready',
  handle: NodeHandle | undefined,
  options: undefined,
  done: () => void,
) => boolean;
type News = WithoutMarker<UpMessage>;

/** Saved: an app may wrap it to see its own messages. */
const send = process.send?.bind(process) as Send | undefined;
/** Saved: an app may replace it, with fake timers for instance. */
const nextTick = process.nextTick.bind(process);

/** False once the app has called `process.disconnect()`, or the daemon is gone for good. */
export function isConnected(): boolean {
  return process.connected;
}

let isLeaving = false;

/** From now on the daemon is not told of sockets that close: it knows why, and would give them up. */
export function announceLeaving(): void {
  isLeaving = true;
}

let hasDaemon = true;

/** No daemon is there; the next one is told everything that counts. */
export function isAlone(): boolean {
  return !hasDaemon;
}

/** What the next daemon has to be told as it was: by type, the last of each. */
const lasting = new Map<News['type'], News>();
const lastingTypes: readonly News['type'][] = ['suicide', 'spent'];

/** Whether a process leaves is known when it has closed its last socket, and then the daemon is told of none. */
export function tellClosed(key: string): void {
  nextTick(() => tell({ type: 'closed', key }));
}

export function tell(message: News, handle?: NodeHandle): void {
  if (lastingTypes.includes(message.type)) lasting.set(message.type, message);
  if (!isConnected() || (isLeaving && message.type === 'closed')) return;
  // An app that begins to listen to messages says so only once.
  if (isAlone() && message.type !== 'wants-messages') return;
  // With a callback a failed write is no 'error' event of the app's: "disconnect" follows, and says it all.
  send?.({ cmd: marker, ...message }, handle, undefined, () => {});
}

/** 'internalMessage' instead of 'message': the app does not see it, and it keeps no event loop alive. */
export function hear(heard: (message: DownMessage, handle?: NodeHandle) => void): void {
  process.on('internalMessage' as 'message', (message, handle) => {
    if (isOurs(message)) heard(message, handle as NodeHandle | undefined);
  });
}

function isOurs(message: unknown): message is DownMessage {
  return typeof message === 'object' && message !== null && 'cmd' in message && message.cmd === marker;
}

const orphaned = new Set<() => void>();
const reports: (() => void)[] = [];

/** Calls `left` each time the daemon dies while the process has an address of the next; the returned function takes that back. */
export function onceAlone(left: () => void): () => void {
  orphaned.add(left);
  return () => orphaned.delete(left);
}

/** Calls `report` to tell a new daemon what it has to know, in the order in which these were registered. */
export function whenBack(report: () => void): void {
  reports.push(report);
}

/** As Node writes it, in the serialization that it uses by default. */
const readyText = `${JSON.stringify('ready')}\n`;
/** Said once and for all, and the daemon that was told may have died before it had read it. */
let hasSaidReady = false;

/** From now on the death of a daemon is waited out. `mark`: by which the next one knows this process. */
export function outliveDaemon(address: string, mark: string): void {
  keepChannel(address, {
    lost() {
      hasDaemon = false;
      for (const left of [...orphaned]) left();
    },
    back() {
      hasDaemon = true;
      tell({ type: 'back', mark, pid: process.pid });
      for (const report of reports) report();
      if (isLeaving && !lasting.has('suicide')) tell({ type: 'suicide', reason: 'it was leaving already' });
      for (const message of [...lasting.values()]) tell(message);
      if (hasSaidReady) send?.('ready', undefined, undefined, () => {});
      tell({ type: 'returned' });
    },
    sent(text) {
      hasSaidReady ||= text === readyText;
    },
  });
}

const watchers = new Set<() => void>();

/** Calls `lost` when the channel closes; the returned function takes that back. Meanwhile the channel keeps the event loop alive. */
export function onceLost(lost: () => void): () => void {
  // One listener for all: more than ten of them would be reported as a leak.
  if (watchers.size === 0) process.on('disconnect', tellWatchers);
  watchers.add(lost);
  return () => {
    if (watchers.delete(lost) && watchers.size === 0) process.off('disconnect', tellWatchers);
  };
}

function tellWatchers(): void {
  process.off('disconnect', tellWatchers);
  const all = [...watchers];
  watchers.clear();
  for (const lost of all) lost();
}
