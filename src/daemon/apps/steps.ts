// What commands consist of: their turn in the queue of the app, and their steps. A step records what it is about to do, for as long as
// it runs.
import type { Report } from '../../ipc/protocol.ts';
import type { EndReason } from '../../ipc/records/deaths.ts';
import { failure } from '../../shared/errors.ts';
import { isAtRest, isStarting, isUp } from '../process/lifecycle/classes.ts';
import type { ManagedProcess } from '../process/process.ts';
import type { Intent } from '../process/record.ts';
import { isUrgent } from '../slot/replacement.ts';
import type { StartOutcome } from '../slot/start-outcome.ts';
import { watchStart } from '../slot/start-watch.ts';
import { isInOrder } from './app-readiness.ts';
import type { QueuedJob } from './command-queue.ts';
import { type PrintedSince, printedBy, startFailure } from './failed-start.ts';
import type { Group } from './group.ts';

/**
 * Recorded before any process ends: otherwise the next daemon would take a requested end for a failure. And before any
 * starts: what cannot be recorded, the spawn log holds (state/spawn-log.ts).
 */
export async function withIntent(group: Group, intent: Intent, job: () => Promise<void>): Promise<void> {
  const done = group.intents.add(intent);
  try {
    await group.kept();
    await group.host.breather();
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
  stopFirst?: (process: ManagedProcess) => void,
) {
  await group.sockets.open(group.spec.listen);
  const output = printedBy(group);
  await startEach(group, processes, abort, { stopFirst });
  if (wait) await allGood(group, processes, output, abort, report);
}

/** Which instances a reload is meant for; it leaves the others as they are. Default: all. */
export interface Choice {
  /** `running`: not those that are stopped. `unready`: neither those that are in order, nor those that get there by themselves. */
  only?: 'running' | 'unready' | undefined;
  /** Asked of each process when the turn of the command comes. */
  isWanted?(process: ManagedProcess): boolean;
}

export async function chosenOf(
  group: Group,
  slots: readonly number[],
  { only, isWanted = () => true }: Choice,
  { abort, report }: Pick<Replacing, 'abort' | 'report'>,
): Promise<number[]> {
  const chosen = () => group.processes.filter((process) => slots.includes(process.slot) && isWanted(process));
  if (only === 'running') return slotsOf(chosen().filter((process) => !isAtRest(process)));
  if (only !== 'unready') return slotsOf(chosen());
  const isOpen = (process: ManagedProcess) => isStarting(process) && !isUp(process);
  await Promise.all(
    chosen().map((process) => {
      if (isOpen(process)) report(waitingFor(group, process));
      return process.until((each) => !isOpen(each) || undefined, abort);
    }),
  );
  return slotsOf(chosen().filter((process) => !isInOrder(group.spec, process)));
}

interface Around {
  /** Stops the process that runs in the slot. Called when it is the turn of the start: see `startEach`. */
  stopFirst?: ((process: ManagedProcess) => void) | undefined;
  begun?(process: ManagedProcess): void;
}

/**
 * The caller has recorded the intent. Between a stop and a start nothing is waited for, neither another record nor the turn: an app at
 * rest whose only process is being restarted would lose its sockets.
 */
export async function startEach(
  { host }: Group,
  processes: readonly ManagedProcess[],
  abort: AbortSignal,
  { stopFirst, begun }: Around = {},
) {
  for (const process of processes) {
    await host.turn();
    abort.throwIfAborted();
    stopFirst?.(process);
    process.start();
    begun?.(process);
  }
}

/** What the replacement of one process needs from its command. */
export interface Replacing {
  /** Why the old process ends. */
  reason: EndReason;
  /** How many are replaced at the same time. Default 1. */
  parallel?: number;
  abort: AbortSignal;
  report: Report;
}

/**
 * Waits until there is room for a new process beside the old ones.
 *
 * Where other processes serve, a command goes on when those that end serve nobody any more: they have only idle connections,
 * or none at all. The slot of each has another process by then, so no instance is away, and what they cost is memory. Idle
 * connections are gone within seconds. But a process without connections may wait for something that never comes until the
 * kill timeout, which may be minutes: with its old processes, an app of eight instances would need twice its memory. So each
 * replacement first waits until there is only one of these (as many as are replaced at the same time).
 */
export async function roomForOneMore(group: Group, { reason, parallel = 1, abort, report }: Replacing): Promise<void> {
  if (isUrgent(reason)) return;
  const ending = group.all.filter(({ remains }) => remains === 'nothing');
  for (const process of ending.slice(0, Math.max(0, ending.length - parallel))) {
    report(`waiting for an old process of ${group.name} (instance ${process.slot}) to exit`);
    await process.until((old) => isAtRest(old) || undefined, abort);
  }
}

/** Waits for the commands before it. */
export async function queued(group: Group, command: string, report: Report, job: QueuedJob): Promise<void> {
  const { name, queue } = group;
  if (queue.current) report(`waiting for "${queue.current}" on ${name} to finish`);
  await queue.run(command, async (abort) => {
    try {
      abort.throwIfAborted();
      if (group.isRetired) throw failure('NO_SUCH_APP', { target: name });
      await group.inheritedSockets.expect(abort);
      await withNotices(group, report, () => job(abort));
    } catch (error) {
      throw abort.aborted ? failure('INTERRUPTED', { name, by: String(abort.reason) }, { cause: error }) : error;
    }
  });
}

/** Aborts the commands before it. */
export function preempted(group: Group, command: string, report: Report, job: () => Promise<void>): Promise<void> {
  group.hold.drop();
  return group.queue.preempt(command, () => withNotices(group, report, job));
}

async function withNotices(group: Group, report: Report, job: () => Promise<void>): Promise<void> {
  group.notice = (text) => report(text, true);
  try {
    await job();
  } finally {
    group.notice = undefined;
  }
}

/** Waits until new processes are ready, or one has failed. */
export async function allGood(
  group: Group,
  processes: readonly ManagedProcess[],
  output: PrintedSince,
  abort: AbortSignal,
  report: Report,
) {
  const outcomes = await Promise.all(processes.map((process) => outcomeFor(group, process, abort, report)));
  for (const [index, outcome] of outcomes.entries()) {
    if (!outcome.good) throw startFailure(group, 'NOT_READY', outcome, output, processes[index]?.lastDeath);
  }
}

function outcomeFor(group: Group, process: ManagedProcess, abort: AbortSignal, report: Report): Promise<StartOutcome> {
  report(waitingFor(group, process));
  return process.until(watchStart(group, process), abort);
}

function waitingFor({ name }: Group, { slot }: ManagedProcess): string {
  return `waiting for ${name} (instance ${slot}) to be ready`;
}
