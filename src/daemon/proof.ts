// Waiting until new processes have proven to be good, or not to be. What counts is in rollout.ts.
import type { Report } from '../ipc/protocol.ts';
import { detailOf, type ErrorCode, failure } from '../shared/errors.ts';
import type { Group } from './group.ts';
import { ErrorOutput } from './output/error-output.ts';
import type { ManagedProcess } from './process.ts';
import { type Outcome, outcomeOf } from './rollout.ts';

/** Whether a process that is ready is still so after `minUptime` from its start. */
export async function staysUp(group: Group, process: ManagedProcess, abort: AbortSignal): Promise<boolean> {
  const { clock } = group.host;
  const { state } = process;
  if (state.kind !== 'online') return false;
  const rest = state.since + group.specOf(process).minUptime - clock.now();
  if (rest <= 0) return true;
  const elapsed = new AbortController();
  const cancel = clock.after(rest, () => elapsed.abort());
  const either = AbortSignal.any([abort, elapsed.signal]);
  try {
    return await process.until<false>((now) => (now.state.kind === 'online' ? undefined : false), either);
  } catch (error) {
    if (abort.aborted) throw error;
    return true;
  } finally {
    cancel();
  }
}

export async function allGood(
  group: Group,
  processes: readonly ManagedProcess[],
  output: ErrorOutput,
  abort: AbortSignal,
  report: Report,
) {
  const outcomes = await Promise.all(processes.map((process) => outcomeFor(group, process, abort, report)));
  for (const outcome of outcomes) if (!outcome.good) throw failed(group, 'NOT_READY', outcome.reason, output);
}

export function outcomeFor(
  group: Group,
  process: ManagedProcess,
  abort: AbortSignal,
  report: Report,
): Promise<Outcome> {
  report(`waiting for ${group.name} (instance ${process.slot}) to be ready`);
  const { listenTimeout } = group.specOf(process);
  const { clock } = group.host;
  const end = clock.now() + listenTimeout;
  return process.until(({ state, lastExit, spawnError }) => {
    const unexecutable = spawnError ? detailOf(spawnError) : undefined;
    return outcomeOf({ state, lastExit, listenTimeout, overdue: clock.now() > end, unexecutable });
  }, abort);
}

export function failed(
  group: Group,
  code: Extract<ErrorCode, 'NOT_READY' | 'RELOAD_FAILED'>,
  reason: string,
  output: ErrorOutput,
) {
  return failure(code, { name: group.name, reason }, { output: output.lines() });
}

/** What the app prints to its error logs from now on. */
export function errorOutputOf(group: Group): ErrorOutput {
  return new ErrorOutput(group.processes.map((process) => group.plan(process).errorFile));
}
