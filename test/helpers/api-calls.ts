// Calls of the API, for a test that makes all of them.
import type { Nsv } from '../../src/api/nsv.ts';
import { NsvError } from '../../src/shared/errors.ts';

/** The code of the error with which a call fails. */
export async function codeOf(promise: Promise<unknown>): Promise<string> {
  const error = await promise.then(
    (value) => new Error(`resolved with ${JSON.stringify(value)}`),
    (reason) => reason,
  );
  if (error instanceof NsvError) return error.code;
  throw error;
}

/** Those about queues, where there are none: but for the first they fail. */
export function queueCalls(nsv: Nsv) {
  return {
    queues: () => [nsv.queues()],
    queue: () => [codeOf(nsv.queue('exports'))],
    retryTasks: () => [codeOf(nsv.retryTasks('exports'))],
    pauseQueue: () => [codeOf(nsv.pauseQueue('exports'))],
    resumeQueue: () => [codeOf(nsv.resumeQueue('exports'))],
    drainQueue: () => [codeOf(nsv.drainQueue('exports'))],
    removeTask: () => [codeOf(nsv.removeTask('exports', 'report-7'))],
  };
}
