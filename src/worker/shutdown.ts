// The stop of the daemon's: what the app does about it by itself comes first.
import type { DownMessage } from '../ipc/worker-messages.ts';
import { tell } from './channel.ts';
import { assist, drain, stopAccepting } from './drain.ts';

/** Saved: an app may replace it. */
const kill = process.kill.bind(process);

let isDraining = false;

/** It leaves now, whatever the daemon asks for later. */
export function claimShutdown(): void {
  isDraining = true;
}

export function shutDown({ signal, message }: Extract<DownMessage, { type: 'drain' }>): void {
  tell({ type: 'draining' });
  if (isDraining) return;
  const raise = () => void kill(process.pid, signal);
  const wantsMessage = message && process.listenerCount('message') > 0;
  if (!wantsMessage && process.listenerCount(signal) === 0) {
    claimShutdown();
    drain(raise);
    return;
  }
  stopAccepting();
  assist();
  if (wantsMessage) process.emit('message', 'shutdown', undefined);
  else raise();
}
