// Waits until new processes are ready or have failed. start-outcome.ts says which.

import type { AppSpec } from '../../config/app-spec.ts';
import type { Report } from '../../ipc/protocol.ts';
import { detailOf, type ErrorCode, failure } from '../../shared/errors.ts';
import type { Child } from '../launch/launcher.ts';
import { ErrorOutput } from '../output/error-output.ts';
import type { LastDeath } from '../process/death/death.ts';
import type { ManagedProcess } from '../process/process.ts';
import { readinessBy } from '../process/process-context.ts';
import { reportsReadiness } from '../process/worker-line.ts';
import { failedStart } from './failed-start.ts';
import type { Group } from './group.ts';
import { explainsMove } from './sockets/moved-port.ts';
import { type FailedOutcome, type StartOutcome, startOutcomeOf } from './start-outcome.ts';

/** Whether a ready process is still ready `minUptime` after its program was loaded. */
export async function staysUp(group: Group, process: ManagedProcess, abort: AbortSignal): Promise<boolean> {
  const { state } = process;
  if (state.kind !== 'online') return false;
  return lasts(group, process, state.loadedAt + group.settingsOf(process).minUptime, abort);
}

/** Whether the app says by itself when a process is ready, or a probe does, so that it need not be guessed. */
export function saysWhenReady({ waitReady, readyProbe }: AppSpec, child: Child | undefined): boolean {
  return waitReady || Boolean(readyProbe) || (child !== undefined && reportsReadiness(child));
}

/**
 * Waits until a ready process listens wherever the processes before it do: many apps open a port for metrics first, and
 * their main port only when they have reached their database. A new version that no longer listens there passes after
 * `listenTimeout`, and the instances after it do not wait; at once if its settings explain that it has moved. False if the process is no longer ready.
 */
export async function listensAsBefore(group: Group, process: ManagedProcess, abort: AbortSignal, report: Report) {
  const { state, child } = process;
  const settings = group.settingsOf(process);
  // A job that has already finished has nothing to listen on.
  if (state.kind !== 'online' || !child || saysWhenReady(settings, child)) return true;
  const others = group.processes.flatMap((other) => (other.state.kind === 'online' && other.child) || []);
  const before = group.at(process.slot)?.child?.plan.spec ?? group.spec;
  const missing = () => {
    const addresses = group.sockets.missing(child, others);
    return explainsMove(before, child.plan.spec, addresses) ? [] : addresses;
  };
  if (missing().length === 0) return true;
  report(`waiting for ${group.name} (instance ${process.slot}) to also listen on ${missing().join(', ')}`);
  return lasts(group, process, state.since + settings.listenTimeout, abort, () => missing().length === 0);
}

/** Whether a process stays ready until `end`, or until `isDone`. */
async function lasts(
  { host: { clock } }: Group,
  process: ManagedProcess,
  end: number,
  abort: AbortSignal,
  isDone: () => boolean = () => false,
): Promise<boolean> {
  const rest = end - clock.now();
  if (rest <= 0) return true;
  const elapsed = new AbortController();
  const cancel = clock.after(rest, () => elapsed.abort());
  const either = AbortSignal.any([abort, elapsed.signal]);
  try {
    return await process.until(({ state }) => (state.kind === 'online' ? isDone() || undefined : false), either);
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
  output: PrintedSince,
  abort: AbortSignal,
  report: Report,
) {
  const outcomes = await Promise.all(processes.map((process) => outcomeFor(group, process, abort, report)));
  for (const [index, outcome] of outcomes.entries()) {
    if (!outcome.good) throw failed(group, 'NOT_READY', outcome, output, processes[index]?.lastDeath);
  }
}

export function outcomeFor(
  group: Group,
  process: ManagedProcess,
  abort: AbortSignal,
  report: Report,
): Promise<StartOutcome> {
  report(`waiting for ${group.name} (instance ${process.slot}) to be ready`);
  const { listenTimeout } = group.settingsOf(process);
  const { clock } = group.host;
  const end = clock.now() + listenTimeout;
  const { restarts: before } = process;
  return process.until(({ state, restarts, child, lastExit, lastDeath, spawnError, unready }) => {
    const hasFailed = lastDeath?.cause === 'listen failed';
    const unexecutable = spawnError ? detailOf(spawnError) : undefined;
    return startOutcomeOf({
      state,
      lastExit,
      hasFailed,
      listenTimeout,
      overdue: clock.now() > end,
      hasEnded: restarts !== before,
      awaited: {
        readiness: readinessBy(group.settingsOf(process), process),
        ports: child ? group.sockets.listening.addressesOf(child) : [],
      },
      unready,
      unexecutable,
    });
  }, abort);
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
