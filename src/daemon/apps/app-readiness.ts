// Whether an app is ready, for all who ask: `nsv list`, /ready/<app>, and apps that depend on it.
//
// It changes with the state of a process, and with its ready probe. The app is told of each change by `GroupDeps.changed`,
// and the events `online`, `exit`, `not-ready` and `ready-again` say what has changed.
import { isOnline, isStopped } from '../process/lifecycle/classes.ts';
import { isCompletion } from '../process/lifecycle/restart-policy.ts';
import type { ManagedProcess } from '../process/process.ts';
import { isScheduled } from '../slot/replacement.ts';
import type { Group } from './group.ts';

/** Whether the process has become ready, and its ready probe has nothing against it. */
export function isReadyProcess(process: Pick<ManagedProcess, 'state' | 'unready'>): boolean {
  return isOnline(process) && process.unready === null;
}

/** Whether the app has a ready process, or its job is done. */
export function isGroupReady({ spec, processes }: Pick<Group, 'spec' | 'processes'>): boolean {
  if (processes.some(isReadyProcess)) return true;
  return processes.length > 0 && processes.every((process) => hasCompleted(spec, process));
}

/** Whether it is as it should be: ready, or its work is done, or it runs at its time. */
export function isInOrder(spec: Group['spec'], process: ManagedProcess): boolean {
  return isReadyProcess(process) || hasCompleted(spec, process) || isScheduled(spec, process);
}

/** Whether it has ended by itself, and its work is done. */
export function hasCompleted(spec: Group['spec'], process: ManagedProcess): boolean {
  return isStopped(process) && !process.endedAsAsked && isCompletion(spec, process.lastExit);
}
