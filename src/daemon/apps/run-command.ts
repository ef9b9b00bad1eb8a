// Runs a command in the queue of its app, and tells its client what should be known afterwards.
import type { Report } from '../../ipc/protocol.ts';
import { failure } from '../../shared/errors.ts';
import type { Group } from './group.ts';

type Job = (abort: AbortSignal) => Promise<void>;

/** Waits for the commands before it. */
export async function queued(group: Group, command: string, report: Report, job: Job): Promise<void> {
  const { name, queue } = group;
  if (queue.current) report(`waiting for "${queue.current}" on ${name} to finish`);
  await queue.run(command, async (abort) => {
    try {
      abort.throwIfAborted();
      if (group.isRetired) throw failure('NO_SUCH_APP', { target: name });
      await group.expectSockets(abort);
      await remarking(group, report, () => job(abort));
    } catch (error) {
      throw abort.aborted ? failure('INTERRUPTED', { name, by: String(abort.reason) }, { cause: error }) : error;
    }
  });
}

/** Aborts the commands before it. */
export function preempted(group: Group, command: string, report: Report, job: () => Promise<void>): Promise<void> {
  group.hold.drop();
  return group.queue.preempt(command, () => remarking(group, report, job));
}

async function remarking(group: Group, report: Report, job: () => Promise<void>): Promise<void> {
  group.remark = (text) => report(text, true);
  try {
    await job();
  } finally {
    group.remark = undefined;
  }
}
