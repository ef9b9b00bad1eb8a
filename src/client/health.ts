// What the health of apps means to those who ask. Shared by the daemon, the command and the health server.
import type { AppHealthView, HealthView } from '../ipc/views.ts';

/** Whether clients should be sent here. */
export function isHealthReady({ status }: Pick<HealthView, 'status'>): boolean {
  return status === 'ready' || status === 'degraded';
}

/** Whether the app does its work, or has done it: a job that has completed is what others wait for. */
export function isAppReady({ ready, status }: AppHealthView): boolean {
  return ready > 0 || status === 'completed';
}
