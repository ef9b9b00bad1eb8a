// Which stop signals the app handles. The daemon is told, because it has to choose one itself when the event loop is blocked.
import { stopSignals } from '../../ipc/worker-messages.ts';
import { tell } from '../channel.ts';

const untold = new Set<NodeJS.Signals>(stopSignals);

export function isHandled(signal: NodeJS.Signals): boolean {
  return process.listenerCount(signal) > 0;
}

/** Tells each new daemon. */
export function reportHandlers(): void {
  const isFirst = untold.size === stopSignals.length;
  for (const signal of stopSignals) {
    if (isHandled(signal)) report(signal);
    else untold.add(signal);
  }
  if (isFirst && untold.size > 0) process.on('newListener', added);
}

function added(event: string | symbol): void {
  for (const signal of stopSignals) if (event === signal && untold.has(signal)) report(signal);
  if (untold.size === 0) process.off('newListener', added);
}

function report(signal: NodeJS.Signals): void {
  untold.delete(signal);
  tell({ type: 'handles', signal });
}
