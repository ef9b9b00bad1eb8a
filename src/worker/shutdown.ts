// The stop of the daemon's: what the app does about it by itself comes first.
import type { DownMessage } from '../ipc/worker-messages.ts';
import { tell } from './channel.ts';
import { answerFirst, assist, drain } from './drain.ts';

/** Saved: an app may replace it. */
const kill = process.kill.bind(process);

let isDraining = false;
/** The app has a handler, which has to wait for its turn. */
let isAnswering = false;
let hasAnswered = false;

/** It leaves now, whatever the daemon asks for later. */
export function claimShutdown(): void {
  isDraining = true;
}

export function shutDown({ signal, killTimeout, message }: Extract<DownMessage, { type: 'drain' }>): void {
  tell({ type: 'draining' });
  if (isDraining || isAnswering) return;
  const raise = () => void kill(process.pid, signal);
  const wantsMessage = message && process.listenerCount('message') > 0;
  if (!wantsMessage && process.listenerCount(signal) === 0) {
    claimShutdown();
    drain(raise);
    return;
  }
  const say = () => {
    if (wantsMessage) process.emit('message', 'shutdown', undefined);
    else raise();
  };
  if (hasAnswered) say();
  else answerThen(killTimeout / 2, say);
}

/** The other half of the kill timeout is for what the app does in its handler. */
function answerThen(patience: number, say: () => void): void {
  isAnswering = true;
  answerFirst(patience, () => {
    isAnswering = false;
    hasAnswered = true;
    // An uncaught error meanwhile ends the process in its own way.
    if (isDraining) return;
    assist();
    say();
  });
}
