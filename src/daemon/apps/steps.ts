// What commands consist of. A step records what it is about to do, for as long as it runs.
import type { Report } from '../../ipc/protocol.ts';
import { isAtRest } from '../process/lifecycle/classes.ts';
import type { ManagedProcess } from '../process/process.ts';
import type { Intent } from '../process/record.ts';
import type { Group } from './group.ts';
import { allGood, printedBy } from './readiness.ts';

/**
 * Recorded before any process ends: otherwise the next daemon would take a requested end for a failure. And before any
 * starts: what cannot be recorded, the spawn log holds (state/spawn-log.ts).
 */
export async function withIntent(group: Group, intent: Intent, job: () => Promise<void>): Promise<void> {
  const done = group.intents.add(intent);
  try {
    await group.kept();
    await job();
  } finally {
    done();
  }
}

export function slotsOf(processes: readonly ManagedProcess[]): number[] {
  return processes.map(({ slot }) => slot);
}

/** Those of the slots in which nothing runs. */
export function restingIn(group: Group, slots: readonly number[]): number[] {
  return slotsOf(group.processes.filter((process) => slots.includes(process.slot) && isAtRest(process)));
}

export async function startAll(
  group: Group,
  processes: readonly ManagedProcess[],
  wait: boolean,
  abort: AbortSignal,
  report: Report,
) {
  await group.sockets.open(group.spec.listen);
  const output = printedBy(group);
  await startEach(group, processes, abort);
  if (wait) await allGood(group, processes, output, abort, report);
}

/**
 * The caller has recorded the intent. Waiting for another record here would leave an app at rest whose only process is being
 * restarted, and its sockets would be closed.
 */
export async function startEach(
  group: Group,
  processes: readonly ManagedProcess[],
  abort: AbortSignal,
  begun: (process: ManagedProcess) => void = () => {},
) {
  for (const process of processes) {
    await inTurn(group, process, abort);
    begun(process);
  }
}

async function inTurn({ host }: Group, process: ManagedProcess, abort: AbortSignal): Promise<void> {
  await host.turn();
  abort.throwIfAborted();
  process.start();
}
