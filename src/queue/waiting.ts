// Waits for the result of a task that any process may be working on.
import type { Store, StoredTask, WaitOptions } from '../../queue/index.cjs';
import type { Changes } from './changes.ts';
import { queueError } from './errors.ts';
import { parsed } from './json.ts';

/** `closed`: aborted when the queue is. */
export function resultOf(
  store: Store,
  changes: Changes,
  queue: string,
  id: string,
  { timeout, signal }: WaitOptions,
  closed: AbortSignal,
): Promise<unknown> {
  return new Promise((resolve, reject) => {
    let isLooking = false;
    let isChanged = false;
    const unlisten = changes.listen(look);
    const late = () => end(() => reject(queueError('NSV_TIMEOUT', `the task "${id}" took longer than ${timeout} ms`)));
    const timer = timeout === undefined ? undefined : setTimeout(late, timeout);
    const aborted = () => end(() => reject(signal?.reason));
    const left = () => end(() => reject(closed.reason));

    function end(settle: () => void): void {
      unlisten();
      clearTimeout(timer);
      signal?.removeEventListener('abort', aborted);
      closed.removeEventListener('abort', left);
      settle();
    }

    function look(): void {
      isChanged = true;
      if (isLooking) return;
      isLooking = true;
      read().then(
        () => {
          isLooking = false;
        },
        (error) => end(() => reject(error)),
      );
    }

    async function read(): Promise<void> {
      while (isChanged) {
        isChanged = false;
        const task = await store.get(queue, id);
        if (!task) end(() => reject(queueError('NSV_NO_TASK', `the queue "${queue}" has no task "${id}"`)));
        else if (task.state === 'completed') end(() => resolve(parsed(task.result)));
        else if (task.state === 'failed') end(() => reject(failed(task)));
      }
    }

    if (signal?.aborted) aborted();
    else {
      signal?.addEventListener('abort', aborted);
      closed.addEventListener('abort', left);
      look();
    }
  });
}

function failed({ id, error = '' }: StoredTask): Error {
  return queueError('NSV_TASK_FAILED', `the task "${id}" failed: ${error.split('\n')[0]}`);
}
