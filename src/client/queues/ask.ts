// Asks the processes that have opened a queue, one after the other, until one of them answers: each knows the whole queue.
import type { OpenedQueueView } from '../../ipc/app/views.ts';
import type { QueueAct } from '../../ipc/questions.ts';
import { isFailure } from '../../shared/errors.ts';
import { type Insight, InvalidAnswer } from '../insight.ts';
import { longestAnswer } from './parse.ts';

/** Milliseconds for one process to take the question up, and to answer it. */
const patience = 2_000;

export type Answer<T> = { value: T } | { problem: string };

/** `parse` throws InvalidAnswer. Rejects with an error of the connection. */
export async function askAny<T>(
  insight: Insight,
  { name, place, processes }: OpenedQueueView,
  { act, task }: { act: QueueAct; task?: string | undefined },
  parse: (value: unknown) => T,
): Promise<Answer<T>> {
  let problem = 'all of them have ended';
  const question = { kind: 'queue', name, place, act, ...(task !== undefined && { task }) } as const;
  for (const { app, slot, id, pid } of idleFirst(processes)) {
    try {
      const limits = { pid, patience, time: patience, longest: longestAnswer };
      const answer = await insight.ask(id, question, limits);
      if (answer.answered) return { value: parse(answer.value) };
      problem = `instance ${slot} of "${app}" did not answer within ${patience / 1_000} s`;
    } catch (error) {
      problem = problemOf(error, app, slot);
    }
  }
  return { problem };
}

/** Who works on a task may be busy with it. */
function idleFirst(processes: OpenedQueueView['processes']): OpenedQueueView['processes'] {
  return [...processes].sort((one, other) => Number(one.works) - Number(other.works));
}

/** Throws what is not about the process. */
function problemOf(error: unknown, app: string, slot: number): string {
  if (error instanceof InvalidAnswer) return `instance ${slot} of "${app}": ${error.message}`;
  if (!isFailure(error, 'CANNOT_INSPECT', 'NO_SUCH_APP')) throw error;
  return error.message.replace(`"${app}" cannot be inspected: `, `instance ${slot} of "${app}": `);
}
