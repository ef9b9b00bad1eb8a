// An uncaught error: printed as Node prints it, but the requests of others are answered before the process goes.
//
// Node calls `process._fatalException`, and when that says "not handled" it prints the error and exits. Here the
// original runs as ever, monitors and handlers included; it is only told that somebody has handled what nobody has.
import type { DownMessage } from '../../ipc/worker-messages.ts';
import { tell } from '../channel.ts';
import { drain } from '../drain.ts';
import { servers } from '../servers/servers.ts';
import { claimShutdown } from '../shutdown.ts';
import { noteFailure, watchClosing } from './closing.ts';
import { failingRequest } from './failing-request.ts';
import { printFatal, summaryOf } from './fatal-print.ts';

type FatalException = (this: typeof process, error: unknown, fromPromise: boolean) => boolean;

/** Saved: an app may replace them. */
const { setTimeout } = globalThis;
const exit = process.exit.bind(process);

let isDying = false;

export function prepareForCrash({ suicide, killTimeout }: Extract<DownMessage, { type: 'hello' }>): void {
  const host = process as typeof process & { _fatalException?: FatalException };
  const fatal = host._fatalException;
  if (!suicide || !fatal) return;
  watchClosing(killTimeout);
  const ours: FatalException = (error, fromPromise) => {
    const unanswered = failingRequest();
    const wasHandled = isHandled(() => fatal.call(process, error, fromPromise));
    if (wasHandled) return true;
    die(error, fromPromise, killTimeout);
    unanswered?.destroy();
    return true;
  };
  // Looked up at each error: an app with handlers of its own finds no trace of nsv in its stacks. A second error
  // while it drains is one too many: that is Node's, with its exit at once.
  const get = () => {
    if (!isTakenByApp()) return isDying || !isServing() ? fatal : ours;
    noteFailure();
    return fatal;
  };
  const set = (value: FatalException) =>
    void Object.defineProperty(process, '_fatalException', { value, writable: true });
  Object.defineProperty(process, '_fatalException', { get, set, configurable: true });
}

function isTakenByApp(): boolean {
  return process.listenerCount('uncaughtException') > 0 || process.hasUncaughtExceptionCaptureCallback();
}

/** Null: Node's cluster has taken the socket over, and its workers answer for themselves. */
function isServing(): boolean {
  return [...servers].some(({ _handle }) => _handle !== null);
}

/** Runs Node's own part; false when neither a listener nor a capture callback has taken the error. */
function isHandled(run: () => boolean): boolean {
  const emit = process.emit;
  const own = Object.getOwnPropertyDescriptor(process, 'emit');
  let isTaken = true;
  const value = function (this: typeof process, ...args: [string, ...unknown[]]): boolean {
    const isHeard = Reflect.apply(emit, this, args);
    if (args[0] === 'uncaughtException' && !isHeard) isTaken = false;
    return isHeard || args[0] === 'uncaughtException';
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

function die(error: unknown, fromPromise: boolean, killTimeout: number): void {
  isDying = true;
  claimShutdown();
  tell({ type: 'suicide', reason: summaryOf(error) });
  printFatal(error, fromPromise);
  // A loop that is blocked has the daemon to end it.
  setTimeout(leave, killTimeout);
  drain(leave);
}

/** As Node does it: 'exit' listeners run, and may choose another code. */
function leave(): void {
  try {
    exit(1);
  } catch {
    // One of the listeners throws: Node ignores that.
    exit();
  }
}
