// Runs a job for many apps in parallel, and reports the failures.
import { type Dependent, type Fate, inOrder } from '../../../config/file/order.ts';
import type { ProcessView } from '../../../ipc/views.ts';
import { bounded } from '../../../shared/bounded.ts';
import { NsvError } from '../../../shared/errors.ts';
import type { Output } from '../../command.ts';

/** Half of the concurrent calls that the daemon allows per connection (src/ipc/limits.ts). */
const atOnce = 16;

/** Like `inOrder`, but bounded; waits for all, notes skipped apps and later failures, then throws the first failure. */
export async function inTurn<A extends Dependent>(
  apps: readonly A[],
  out: Output,
  job: (app: A) => Promise<ProcessView[]>,
): Promise<ProcessView[]> {
  const fates = await inOrder(apps, bounded(atOnce, job));
  const [first, ...others] = fates.flatMap((fate) => ('failed' in fate ? [fate.failed] : []));
  for (const error of others) if (error instanceof NsvError) await out.report(error);
  for (const [index, fate] of fates.entries()) {
    if ('skipped' in fate)
      out.note(`nsv: skipped "${apps[index]!.name}": it depends on "${fate.skipped}", which is not ready`);
  }
  if (first !== undefined) throw first;
  return fates.flatMap((fate: Fate<ProcessView[]>) => ('done' in fate ? fate.done : []));
}
