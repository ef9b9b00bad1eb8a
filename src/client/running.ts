// What runs, among processes that the daemon lists.
import type { ProcessView } from '../ipc/views.ts';

export function isUp({ status }: Pick<ProcessView, 'status'>): boolean {
  return status !== 'stopped' && status !== 'errored';
}

/** The apps that they belong to. */
export function namesOf(processes: readonly ProcessView[]): Set<string> {
  return new Set(processes.map(({ name }) => name));
}
