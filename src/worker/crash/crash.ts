// Handles uncaught errors: logs them, but lets other requests finish before the process exits.
//
// Node calls its `fatalException`. If that returns "not handled", Node prints the error and exits. The wrapper
// here still runs the original, with its monitors and handlers, but makes it believe that a handler took the error.
import type { DownMessage } from '../../ipc/worker-messages.ts';
import { type FatalException, fatalException, interceptFatalException, isTakenByApp } from '../node-processes.ts';
import { die, drainsOnError } from '../shutdown/life.ts';
import { noteHandledError, watchClosing } from './closing.ts';
import { failingRequest } from './failing-request.ts';
import { reportHandledError, setWantedErrors, watchHandledErrors } from './handled-errors.ts';

let isPrepared = false;

export function prepareForCrash({ drainOnCrash, wantedErrors }: Extract<DownMessage, { type: 'hello' }>): void {
  setWantedErrors(wantedErrors);
  // A process greets each daemon, but errors are to be handled once.
  if (isPrepared) return;
  const fatal = fatalException();
  if (!drainOnCrash || !fatal) return;
  isPrepared = true;
  watchClosing();
  watchHandledErrors();
  const ours: FatalException = (error, fromPromise) => {
    const unanswered = failingRequest();
    const wasHandled = isHandled(() => fatal.call(process, error, fromPromise));
    if (wasHandled) return true;
    die(error);
    unanswered?.destroy();
    return true;
  };
  // A getter, so that an app with its own handlers sees no nsv frames in its stacks. A second error during the drain
  // goes to Node, which exits at once.
  const get = () => {
    if (!isTakenByApp()) return drainsOnError() ? ours : fatal;
    noteHandledError();
    reportHandledError('exception');
    return fatal;
  };
  interceptFatalException(get);
}

/** Runs Node's own handling; returns false if no listener and no capture callback took the error. */
function isHandled(run: () => boolean): boolean {
  const emit = process.emit;
  const own = Object.getOwnPropertyDescriptor(process, 'emit');
  let isTaken = true;
  const value = function (this: typeof process, ...args: [string, ...unknown[]]): boolean {
    const hasListener = Reflect.apply(emit, this, args);
    if (args[0] === 'uncaughtException' && !hasListener) isTaken = false;
    return hasListener || args[0] === 'uncaughtException';
  };
  Object.defineProperty(process, 'emit', { value, configurable: true, writable: true, enumerable: false });
  try {
    run();
  } finally {
    if (own) Object.defineProperty(process, 'emit', own);
    else Reflect.deleteProperty(process, 'emit');
  }
  return isTaken;
}
