// What decides whether and how a process is replaced. Pure.
import type { AppSpec } from '../../config/app-spec.ts';
import type { EndReason } from '../../ipc/records/deaths.ts';
import { isStopped, isToRest, isWaiting } from '../process/lifecycle/classes.ts';
import { isFinished, type Rules } from '../process/lifecycle/restart-policy.ts';
import type { ManagedProcess } from '../process/process.ts';

/** Whether it has ended by itself, and its restart policy leaves it at that. */
export function hasFinished(rules: Rules, process: ManagedProcess): boolean {
  const { lastExit, endedAsAsked, isLeftAlone } = process;
  return isStopped(process) && lastExit !== null && !endedAsAsked && !isLeftAlone && isFinished(rules, lastExit);
}

/** Whether it is stopped and runs when its cron pattern says so: a job between two runs, or an app that was only added to the list. */
export function isScheduled({ cronRestart }: AppSpec, process: ManagedProcess): boolean {
  return isStopped(process) && cronRestart !== undefined && !process.isLeftAlone;
}

/** Whether a change starts or replaces it. Not if a person has stopped it or is about to, or if it starts by itself once what it needs is there. */
export function isRenewable(spec: AppSpec, process: ManagedProcess, { by }: EndReason): boolean {
  if (isStopped(process)) return hasFinished(spec, process) || (by === 'cron' && isScheduled(spec, process));
  return !isToRest(process) && !isWaiting(process);
}

/** A program that binds its port itself cannot do so while the old process still holds it. */
export function canOverlap({ node, listen }: AppSpec): boolean {
  return node || listen.length > 0;
}

/** Whether a process that is away as well serves nobody: nothing is lost if it ends before there is a successor. */
export function isUseless({ cause }: EndReason): boolean {
  return cause === 'blocked loop' || cause === 'probe';
}

/**
 * The process does not serve any more: nothing is gained by waiting until its successor has stayed up for a while, and nobody
 * should wait until it is killed.
 */
export function isUrgent({ cause }: EndReason): boolean {
  return cause === 'blocked loop';
}
