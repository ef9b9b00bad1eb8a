// Tells which of the listed processes are up, and which apps they belong to.
import type { ProcessView } from '../ipc/views.ts';

export function isRunning({ status }: Pick<ProcessView, 'status'>): boolean {
  return status !== 'stopped' && status !== 'errored';
}

/** Names of the apps of these processes. */
export function namesOf(processes: readonly ProcessView[]): Set<string> {
  return new Set(processes.map(({ name }) => name));
}
