// Handles a stop request from the daemon. What the app does about it comes first.
import { type DownMessage, stopSignalOf } from '../../ipc/worker-messages.ts';
import { hasAppChannel, tell } from '../channel.ts';
import { answerFirst, assist, drain, letGo } from '../drain.ts';
import { keepIdle } from '../idle.ts';
import { isServing } from '../servers/servers.ts';
import { watchRemaining } from './remaining.ts';
import { beginPart, killTimeoutKnown, part, sayLastWord } from './shutdown-part.ts';
import { isHandled } from './stop-handlers.ts';

/** Saved, because an app may replace it. */
const kill = process.kill.bind(process);

let isDraining = false;
/** True while requests are being answered before the app's own handler runs. */
let isAnswering = false;
let hasAnswered = false;

/** The process exits by itself now, and ignores later stop requests. */
export function claimShutdown(): void {
  isDraining = true;
}

export function shutDown({
  killTimeout,
  message,
  othersServe,
  ...signals
}: Extract<DownMessage, { type: 'drain' }>): void {
  tell({ type: 'draining' });
  if (isDraining || isAnswering) return;
  if (othersServe && !hasAnswered) keepIdle(killTimeout, { reports: true });
  // Anew each time: the app may have added or removed a handler.
  const signal = () => stopSignalOf(signals, isHandled);
  beginPart({ reason: signal(), killTimeout });
  const raise = () => void kill(process.pid, signal());
  const wantsMessage = message && hasAppChannel() && process.listenerCount('message') > 0;
  const isHeard = isHandled(signal());
  if (!wantsMessage && !isHeard && !part()) {
    claimShutdown();
    drain(() => {
      sayLastWord();
      raise();
    });
    return;
  }
  const say = () => {
    if (wantsMessage) process.emit('message', 'shutdown', undefined);
    else if (isHeard) raise();
    part()?.proceed();
  };
  if (hasAnswered) say();
  else answerThen(killTimeout / 2, say);
}

/**
 * The app ends by itself, with handlers of `nsv/app`. A process without servers needs no successor before it is gone. False
 * if it ends already.
 */
export function leave(reason: string, by: 'app' | 'signal'): boolean {
  if (isDraining || isAnswering || hasAnswered) return false;
  claimShutdown();
  const killTimeout = killTimeoutKnown();
  if (isServing()) {
    tell({ type: 'suicide', reason, by });
    keepIdle(killTimeout);
  }
  beginPart({ reason, killTimeout });
  answerFirst(killTimeout / 2, () => {
    assist();
    part()?.proceed();
    letGo();
  });
  return true;
}

/** Uses half of the kill timeout. The other half is for the app's handler. */
function answerThen(patience: number, say: () => void): void {
  isAnswering = true;
  answerFirst(patience, () => {
    isAnswering = false;
    hasAnswered = true;
    // An uncaught error in the meantime has already begun to end the process.
    if (isDraining) return;
    assist();
    // The library knows what it waits for, and exits in time.
    if (!part()) watchRemaining();
    say();
    letGo();
  });
}
