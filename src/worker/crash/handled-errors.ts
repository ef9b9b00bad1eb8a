// Reports errors that a handler of the app has taken. Many such handlers send a report, and exit when it is
// sent. Until then the process serves, and what it has accepted by then would be lost. So the daemon takes it out of the
// accept queue for some seconds, and its clients are told to connect elsewhere.
//
// Nothing is reported of an app that was seen to live on after such an error.
import type { HandledErrorKind } from '../../ipc/worker-messages.ts';
import { onDaemonLost, send } from '../channel.ts';
import { handleIn } from '../node-sockets.ts';
import { keepClients, redirectClients } from '../servers/away.ts';
import { servers } from '../servers/servers.ts';
import { whenMoved } from '../sockets/accept-queue.ts';
import { handleKeyOf } from '../sockets/handles.ts';

/** What the daemon wants to be told. */
let wanted: readonly HandledErrorKind[] = [];
/** Each kind is reported once: either the process exits, or the daemon wants no more reports of that kind. */
const reported = new Set<HandledErrorKind>();

/** Called once, before `setWantedErrors`. */
export function watchHandledErrors(): void {
  watchRejections();
  whenMoved((isOut) => {
    if (isOut && reported.size > 0) redirectClients('failing');
    else keepClients('failing');
  });
  onDaemonLost(() => {
    wanted = [];
    reported.clear();
  });
}

export function setWantedErrors(kinds: readonly HandledErrorKind[]): void {
  wanted = kinds;
}

export function reportHandledError(kind: HandledErrorKind): void {
  if (reported.has(kind) || !wanted.includes(kind) || !isServing()) return;
  reported.add(kind);
  send({ type: 'handled-error', kind });
}

/** Whether it has a socket that others may accept from instead. */
function isServing(): boolean {
  return [...servers].map(handleIn).some((handle) => handle && handleKeyOf(handle) !== undefined);
}

/**
 * Node tells nobody else about a rejection that a listener of the app takes. A listener of nsv's own would make the app's look like
 * one of two, and would swallow rejections once the app removes its own. So `process.emit` is wrapped, but only in apps that have
 * such a listener.
 */
function watchRejections(): void {
  if (process.listenerCount('unhandledRejection') > 0) {
    wrapEmit();
    return;
  }
  const added = (event: string | symbol) => {
    if (event !== 'unhandledRejection') return;
    process.off('newListener', added);
    wrapEmit();
  };
  process.on('newListener', added);
}

function wrapEmit(): void {
  const { emit } = process;
  const value = function (this: typeof process, ...args: [string, ...unknown[]]): boolean {
    const isTaken = args[0] === 'unhandledRejection' && this.listenerCount('unhandledRejection') > 0;
    // Before the listeners of the app.
    if (isTaken) reportHandledError('rejection');
    return Reflect.apply(emit, this, args);
  };
  Object.defineProperty(process, 'emit', { value, configurable: true, writable: true, enumerable: false });
}
