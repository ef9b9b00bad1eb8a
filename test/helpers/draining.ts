// How the daemon asks a process to leave, and how such a process ends.
import type { App } from './socket-stage.ts';

export const bySignal = { code: null, signal: 'SIGTERM' };
export const drain = { type: 'drain', signal: 'SIGTERM', killTimeout: 5_000, message: false };

/** Resolves when the process has begun to leave. */
export async function beginsDrain(app: App, settings: object = {}): Promise<void> {
  app.send({ ...drain, ...settings });
  await app.nextMessage('draining');
}
