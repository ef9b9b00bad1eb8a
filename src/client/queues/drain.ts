// Waits until a queue has nothing left to do. It removes nothing.
import type { QueueView } from '../../ipc/app/views.ts';
import type { Clock } from '../../shared/clock.ts';
import { failure, isFailure } from '../../shared/errors.ts';

/** Milliseconds between two looks. */
const lookEvery = 1_000;
/** Looks in a row that may fail: while its only process is replaced, nobody has the queue. */
const mostMisses = 15;

/** Resolves when no task is pending or running. Rejects with QUEUE_PAUSED, and as `look` does. */
export async function drained(
  look: () => Promise<QueueView>,
  report: (text: string) => void,
  clock: Pick<Clock, 'after'>,
): Promise<void> {
  let misses = mostMisses;
  for (;;) {
    const view = await look().catch((error: unknown) => {
      misses += 1;
      if (misses > mostMisses || !isFailure(error, 'NO_SUCH_QUEUE', 'QUEUE_SILENT')) throw error;
      return undefined;
    });
    if (view?.counts) {
      misses = 0;
      const { pending, running, paused } = view.counts;
      if (pending + running === 0) return;
      if (paused && running === 0) throw failure('QUEUE_PAUSED', { queue: view.name, pending });
      report(`waiting for the queue "${view.name}": ${pending} pending, ${running} running`);
    }
    await new Promise<void>((resolve) => {
      clock.after(lookEvery, resolve);
    });
  }
}
