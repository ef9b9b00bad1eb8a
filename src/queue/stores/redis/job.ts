// A job of BullMQ as a task.
import type { Job, JobJson } from 'bullmq';
import type { StoredTask, TaskState } from '../../../../queue/index.cjs';
import { diedError, mostDeaths } from '../../errors.ts';

/** `isActive` as it was before the job was read. */
export function taskStateOf({ finishedOn, returnvalue }: JobJson, isActive: boolean): TaskState {
  if (finishedOn !== undefined) return returnvalue === undefined ? 'failed' : 'completed';
  return isActive ? 'running' : 'pending';
}

export function taskOfJob(job: Job, state: TaskState): StoredTask {
  const { id = '', timestamp, failedReason, progress, stalledCounter } = job;
  return {
    id,
    state,
    data: JSON.stringify(job.data),
    ...attemptsOf(job, state),
    addedAt: timestamp,
    ...(failedReason && { error: failedReason }),
    // BullMQ has 0 for "nothing was reported", and null for "nothing was returned".
    ...(progress !== 0 && { progress: JSON.stringify(progress) }),
    ...(state === 'completed' && job.returnvalue !== null && { result: JSON.stringify(job.returnvalue) }),
    ...(state === 'pending' && { dueAt: dueAt(job) }),
    ...(state === 'running' && job.processedOn && { startedAt: job.processedOn }),
    ...(state === 'running' && job.processedBy && { worker: job.processedBy }),
    ...((state === 'completed' || state === 'failed') && job.finishedOn && { finishedAt: job.finishedOn }),
  };

  /** BullMQ counts each end of an attempt: the good one too, and that of a task that is given up because its processes died. */
  function attemptsOf({ attemptsMade }: Job, state: TaskState): { failures: number; deaths: number } {
    if (state === 'completed') return { failures: attemptsMade - 1, deaths: stalledCounter };
    if (state === 'failed' && failedReason === diedError) return { failures: attemptsMade - 1, deaths: mostDeaths };
    return { failures: attemptsMade, deaths: stalledCounter };
  }
}

/** The delay of a repeated attempt counts from when the last one began: `delayOf`. */
function dueAt({ delay, processedOn, timestamp }: Job): number {
  return delay > 0 ? (processedOn ?? timestamp) + delay : timestamp;
}

/** For `moveToDelayed`, which keeps the delay, and not the time from which it counts. */
export function delayOf({ processedOn = 0 }: Job, dueAt: number): { from: number; delay: number } {
  return { from: processedOn, delay: dueAt - processedOn };
}
