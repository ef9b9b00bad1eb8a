// Which stop signals the app handles. The daemon is told, because it has to choose one itself when the event loop is blocked.
import { stopSignals } from '../../ipc/worker-messages.ts';
import { send } from '../channel.ts';

/** Those without a handler so far. */
let waiting: readonly NodeJS.Signals[] = [];

export function isHandled(signal: NodeJS.Signals): boolean {
  return process.listenerCount(signal) > 0;
}

/** Tells each new daemon, now and when the app adds its first handler. */
export function reportHandlers(): void {
  process.off('newListener', added);
  waiting = stopSignals.filter((signal) => !isHandled(signal));
  for (const signal of stopSignals) if (!waiting.includes(signal)) send({ type: 'handles', signal });
  if (waiting.length > 0) process.on('newListener', added);
}

function added(event: string | symbol): void {
  const signal = waiting.find((name) => name === event);
  if (!signal) return;
  waiting = waiting.filter((name) => name !== signal);
  send({ type: 'handles', signal });
  if (waiting.length === 0) process.off('newListener', added);
}
