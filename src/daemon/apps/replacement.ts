// What decides how a process is replaced. Pure.
import type { AppSpec } from '../../config/app-spec.ts';
import type { EndReason } from '../../ipc/records/deaths.ts';
import type { Child } from '../launch/launcher.ts';
import type { ManagedProcess } from '../process/process.ts';

/** Whether the process runs and is not stopping. */
export function isServing({ state }: ManagedProcess): boolean {
  return state.kind === 'starting' || state.kind === 'online';
}

/** A program that binds its port itself cannot do so while the old process still holds it. */
export function canOverlap({ node, listen }: AppSpec): boolean {
  return node || listen.length > 0;
}

/** Whether nothing is lost if the process ends before there is a successor. */
export function isUseless({ isAway }: Child, { cause }: EndReason): boolean {
  return isAway === true && (cause === 'blocked loop' || cause === 'probe');
}

/**
 * The process does not serve any more: nothing is gained by waiting until its successor has stayed up for a while, and nobody
 * should wait until it is killed.
 */
export function isUrgent({ cause }: EndReason): boolean {
  return cause === 'blocked loop';
}
