// Handles uncaught errors: logs them, but lets other requests finish before the process exits.
//
// Node calls `process._fatalException`. If that returns "not handled", Node prints the error and exits. The wrapper
// here still runs the original, with its monitors and handlers, but makes it believe that a handler took the error.
import type { DownMessage } from '../../ipc/worker-messages.ts';
import { tell } from '../channel.ts';
import { answerFirst, assist, drain } from '../drain.ts';
import { keepIdle } from '../idle.ts';
import { isServing } from '../servers/servers.ts';
import { claimShutdown } from '../shutdown/shutdown.ts';
import { beginPart, part } from '../shutdown/shutdown-part.ts';
import { noteFailure, watchClosing } from './closing.ts';
import { failingRequest } from './failing-request.ts';
import { reportFailure, wantFailures, watchQueue } from './failures.ts';
import { printFatal, summaryOf } from './fatal-print.ts';
import { watchRejections } from './rejections.ts';

type FatalException = (this: typeof process, error: unknown, fromPromise: boolean) => boolean;

/** Saved, because an app may replace them. */
const { setTimeout } = globalThis;
const exit = process.exit.bind(process);

let isDying = false;
let isPrepared = false;

export function prepareForCrash({ suicide, killTimeout, failures }: Extract<DownMessage, { type: 'hello' }>): void {
  wantFailures(failures);
  // A process greets each daemon, but errors are to be handled once.
  if (isPrepared) return;
  const host = process as typeof process & { _fatalException?: FatalException };
  const fatal = host._fatalException;
  if (!suicide || !fatal) return;
  isPrepared = true;
  watchClosing(killTimeout);
  watchQueue();
  watchRejections(() => reportFailure('rejection'));
  const ours: FatalException = (error, fromPromise) => {
    const unanswered = failingRequest();
    const wasHandled = isHandled(() => fatal.call(process, error, fromPromise));
    if (wasHandled) return true;
    die(error, killTimeout);
    unanswered?.destroy();
    return true;
  };
  // A getter, so that an app with its own handlers sees no nsv frames in its stacks. A second error during the drain
  // goes to Node, which exits at once.
  const get = () => {
    if (!isTakenByApp()) return isDying || !isServing() ? fatal : ours;
    noteFailure();
    reportFailure('exception');
    return fatal;
  };
  const set = (value: FatalException) =>
    void Object.defineProperty(process, '_fatalException', { value, writable: true });
  Object.defineProperty(process, '_fatalException', { get, set, configurable: true });
}

function isTakenByApp(): boolean {
  return process.listenerCount('uncaughtException') > 0 || process.hasUncaughtExceptionCaptureCallback();
}

/** Runs Node's own handling; returns false if no listener and no capture callback took the error. */
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

function die(error: unknown, killTimeout: number): void {
  isDying = true;
  claimShutdown();
  const reason = summaryOf(error);
  tell({ type: 'suicide', reason });
  printFatal(error);
  beginPart({ reason, killTimeout });
  // If the event loop is blocked, the daemon kills the process.
  setTimeout(leave, killTimeout);
  keepIdle(killTimeout);
  const own = part();
  if (!own) drain(leave);
  else
    answerFirst(killTimeout / 2, () => {
      assist();
      own.proceed(leave);
    });
}

/** Exits as Node does: 'exit' listeners run and may choose another code. */
function leave(): void {
  try {
    exit(1);
  } catch {
    // An 'exit' listener threw, which Node ignores.
    exit();
  }
}
