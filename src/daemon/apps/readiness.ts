// Waits until new processes are ready or have failed. slot/start-outcome.ts says which.
import type { Report } from '../../ipc/protocol.ts';
import { type ErrorCode, failure } from '../../shared/errors.ts';
import { ErrorOutput } from '../output/error-output.ts';
import type { LastDeath } from '../process/death/death.ts';
import type { ManagedProcess } from '../process/process.ts';
import type { FailedOutcome, StartOutcome } from '../slot/start-outcome.ts';
import { watchStart } from '../slot/start-watch.ts';
import { failedStart } from './failed-start.ts';
import type { Group } from './group.ts';

export async function allGood(
  group: Group,
  processes: readonly ManagedProcess[],
  output: PrintedSince,
  abort: AbortSignal,
  report: Report,
) {
  const outcomes = await Promise.all(processes.map((process) => outcomeFor(group, process, abort, report)));
  for (const [index, outcome] of outcomes.entries()) {
    if (!outcome.good) throw failed(group, 'NOT_READY', outcome, output, processes[index]?.lastDeath);
  }
}

function outcomeFor(group: Group, process: ManagedProcess, abort: AbortSignal, report: Report): Promise<StartOutcome> {
  report(`waiting for ${group.name} (instance ${process.slot}) to be ready`);
  return process.until(watchStart(group, process), abort);
}

export function failed(
  { name }: Group,
  code: Extract<ErrorCode, 'NOT_READY' | 'RELOAD_FAILED'>,
  outcome: FailedOutcome,
  output: PrintedSince,
  death: LastDeath | null = null,
) {
  const { reason, ...more } = failedStart({ outcome, death, printed: output.lines() });
  return code === 'NOT_READY'
    ? failure(code, { name, reason, isStarted: !outcome.ended }, more)
    : failure(code, { name, reason }, more);
}

interface PrintedSince {
  lines(): string[];
}

/** What the app prints to its error logs from now on or, if that is nothing, to its output. */
export function printedBy(group: Group): PrintedSince {
  const plans = group.processes.map((process) => group.plan(process));
  const errors = new ErrorOutput(plans);
  const output = new ErrorOutput(plans.map((plan) => ({ ...plan, errorFile: plan.outFile })));
  const orOutput = (lines: string[]) => (lines.length > 0 ? lines : output.lines());
  return { lines: () => orOutput(errors.lines()) };
}
