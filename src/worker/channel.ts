// The typed way to the daemon and back, over Node's own IPC channel.
import { type DownMessage, marker, type UpMessage } from '../ipc/worker-messages.ts';
import type { NodeHandle } from './node-internals.ts';

type WithoutMarker<M> = M extends unknown ? Omit<M, 'cmd'> : never;

/** Saved: an app may wrap it to see its own messages. */
const send = process.send?.bind(process);

/** False once the app has called `process.disconnect()`, or the daemon is gone. */
export function isConnected(): boolean {
  return process.connected;
}

let isLeaving = false;

/** From now on the daemon is not told of sockets that close: it knows why, and would give them up. */
export function announceLeaving(): void {
  isLeaving = true;
}

export function tell(message: WithoutMarker<UpMessage>): void {
  if (!isConnected() || (isLeaving && message.type === 'closed')) return;
  // With a callback a failed write is no 'error' event of the app's: "disconnect" follows, and says it all.
  send?.({ cmd: marker, ...message }, undefined, undefined, () => {});
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
