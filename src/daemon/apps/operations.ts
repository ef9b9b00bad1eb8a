// What a command does to an app. Each runs in the app's queue, and returns when its effect has happened.
import type { AppSpec, ProgramSpec } from '../../config/app-spec.ts';
import type { Report } from '../../ipc/protocol.ts';
import { failure } from '../../shared/errors.ts';
import type { Child } from '../launch/launcher.ts';
import type { ManagedProcess } from '../process/process.ts';
import type { Successor } from '../process/record.ts';
import { hasProcess } from '../process/state.ts';
import { type Group, isAtRest } from './group.ts';
import { postStop, preStart } from './hooks.ts';
import { allGood, errorOutputOf, failed, listensAsBefore, outcomeFor, staysUp } from './readiness.ts';
import { restingIn, slotsOf, withIntent, withStartIntent } from './with-intent.ts';

/** Some processes of one app: what a target selects. */
export interface Selection {
  group: Group;
  slots: number[];
}

/** Where nobody waits. */
const quiet: Report = () => {};

/** The first start of an app. A program that cannot even be executed is an error, not an app that keeps failing. */
export function launch(group: Group, wait: boolean, report: Report): Promise<void> {
  return queued(group, 'start', report, async (abort) => {
    const output = errorOutputOf(group);
    await withStartIntent(group, slotsOf(group.processes), async () => {
      await preStart(group, group.spec, abort, report);
      await group.sockets.open(group.spec.listen);
      await startEach(group, group.processes, abort, ({ spawnError }) => {
        if (spawnError) throw spawnError;
      });
    });
    if (wait) await allGood(group, group.processes, output, abort, report);
  });
}

export function start(selection: Selection, env: Env, wait: boolean, report: Report): Promise<void> {
  const { group } = selection;
  return queued(group, 'start', report, async (abort) => {
    renew(group, env);
    await preStart(group, group.spec, abort, report);
    await startAll(group, processesOf(selection), wait, abort, report);
  });
}

/** Ends the waiting of every command before it. */
export function stop(selection: Selection, by = 'stop'): Promise<void> {
  const { group, slots } = selection;
  return group.queue.preempt(by, async () => {
    const wasActive = group.isActive;
    await withIntent(group, { kind: 'stop', slots }, () => stopAll(group.allIn(slots)));
    if (wasActive && !group.isActive) await postStop(group);
  });
}

/** Stops for good: commands that wait in the queue behind find no such app. */
export async function remove(group: Group, by: string, successor?: Successor): Promise<void> {
  group.intents.remove(successor);
  await group.queue.preempt(by, async () => {
    const wasActive = group.isActive;
    await group.kept();
    await stopAll(group.all);
    group.sockets.close();
    if (wasActive) await postStop(group);
  });
}

/** One after another, so that the other instances go on serving; ends at the first that does not come up. */
export function restart({ group, slots }: Selection, env: Env, report: Report, settings?: Settings): Promise<void> {
  return queued(group, 'restart', report, async (abort) => {
    renew(group, env);
    if (settings) group.renew(settings);
    await preStart(group, group.spec, abort, report);
    await withStartIntent(group, restingIn(group, slots), async () => {
      for (const slot of slots) await again(group, slot, abort, report);
    });
  });
}

/**
 * New before old, `parallel` slots at a time; ends at the first new process that is not good. What was replaced by then
 * stays replaced: those processes are good, and to go back would be one more risk. The first ones have to stay up for
 * `minUptime` before any old process leaves, so that code that listens and then dies replaces nothing. The settings of before
 * are in force again for whatever starts after a failure.
 */
export function reload({ group, slots }: Selection, renewal: Renewal, report: Report): Promise<void> {
  const { env, program, settings, parallel = 1, runningOnly = false } = renewal;
  return queued(group, 'reload', report, async (abort) => {
    const resting = restingIn(group, slots);
    const chosen = runningOnly ? slots.filter((slot) => !resting.includes(slot)) : slots;
    if (chosen.length === 0) return;
    const before = group.spec;
    if (program) expectSameKind(before, program);
    group.forgive();
    const changes = { ...settings, ...program, ...(env && { env }) };
    group.propose(changes);
    try {
      await preStart(group, { ...before, ...changes }, abort, report);
      const renewed = () => renewSlots(group, chosen, parallel, abort, report);
      await withStartIntent(group, runningOnly ? [] : resting, renewed);
      group.accept();
    } catch (error) {
      group.renew(before);
      throw error;
    }
    group.sockets.prune();
    group.emit({ type: 'reloaded', app: group.name });
  });
}

/**
 * Replaces those of the processes that hold a slot and serve when their turn comes, one after another as `reload` does.
 * Nobody looked after the app, so its restarts go on being counted.
 */
export function recycle(group: Group, children: ReadonlySet<Child>): Promise<void> {
  return queued(group, 'recycle', quiet, async (abort) => {
    for (const child of children) {
      const process = group.processes.find((candidate) => candidate.child === child);
      if (process && isServing(process)) await renewSlot(group, process.slot, true, abort, quiet);
    }
  });
}

/** New instances are started if the app runs; surplus ones are stopped, the highest slots first to go. */
export function scale(group: Group, instances: number, report: Report): Promise<void> {
  return queued(group, 'scale', report, async (abort) => {
    const runs = group.isActive;
    await withIntent(group, { kind: 'scale', instances }, () => stopAll(group.processes.slice(instances)));
    const added = group.resize(instances);
    if (runs) await startAll(group, added, true, abort, report);
  });
}

export function signal(selection: Selection, name: NodeJS.Signals): void {
  for (const { child } of processesOf(selection)) if (child) selection.group.host.signal(child, name);
}

export function reset(selection: Selection): void {
  selection.group.forgive();
  for (const process of processesOf(selection)) process.resetCounters();
}

type Env = AppSpec['env'] | undefined;
type Settings = Partial<Omit<AppSpec, 'instances'>>;

export interface Renewal {
  env?: Env;
  /** What is run from now on. */
  program?: ProgramSpec;
  /** What holds for it from now on. */
  settings?: Settings;
  /** How many instances are replaced at the same time. Default 1. */
  parallel?: number;
  /** Nothing that is stopped is started. */
  runningOnly?: boolean;
}

type Job = (abort: AbortSignal) => Promise<void>;

export function processesOf({ group, slots }: Selection): ManagedProcess[] {
  return group.processes.filter(({ slot }) => slots.includes(slot));
}

async function queued(group: Group, command: string, report: Report, job: Job): Promise<void> {
  const { name, queue } = group;
  if (queue.current) report(`waiting for "${queue.current}" on ${name} to finish`);
  await queue.run(command, async (abort) => {
    try {
      abort.throwIfAborted();
      if (group.isRetired) throw failure('NO_SUCH_APP', { target: name });
      group.expectSockets();
      await job(abort);
    } catch (error) {
      throw abort.aborted ? failure('INTERRUPTED', { name, by: String(abort.reason) }, { cause: error }) : error;
    }
  });
}

function renew(group: Group, env: Env): void {
  group.forgive();
  if (env) group.renew({ env });
}

/** The sockets of an app are shared in a way that depends on it. */
function expectSameKind({ node }: AppSpec, program: ProgramSpec): void {
  if (node === program.node) return;
  const problem = `--script "${program.script}" is ${program.node ? 'a' : 'not a'} Node program, unlike the app: delete the app and start it again`;
  throw failure('BAD_OPTION', { problems: [problem] });
}

/** Runs, and is not leaving. */
function isServing({ state }: ManagedProcess): boolean {
  return state.kind === 'starting' || state.kind === 'online';
}

/** A program that binds its port by itself could not do so while its predecessor still holds it. */
function canOverlap({ node, listen }: AppSpec): boolean {
  return node || listen.length > 0;
}

async function stopAll(processes: readonly ManagedProcess[]): Promise<void> {
  for (const process of processes) process.stop();
  await Promise.all(processes.map((process) => process.until((now) => isAtRest(now) || undefined)));
}

async function startAll(
  group: Group,
  processes: readonly ManagedProcess[],
  wait: boolean,
  abort: AbortSignal,
  report: Report,
) {
  await group.sockets.open(group.spec.listen);
  const output = errorOutputOf(group);
  await startEach(group, processes, abort);
  if (wait) await allGood(group, processes, output, abort, report);
}

/** A daemon that dies on the way leaves word of those that are still to come. */
async function startEach(
  group: Group,
  processes: readonly ManagedProcess[],
  abort: AbortSignal,
  begun: (process: ManagedProcess) => void = () => {},
) {
  await withStartIntent(group, slotsOf(processes), async () => {
    for (const process of processes) {
      await inTurn(group, process, abort);
      begun(process);
    }
  });
}

async function inTurn({ host }: Group, process: ManagedProcess, abort: AbortSignal): Promise<void> {
  await host.turn();
  abort.throwIfAborted();
  process.start();
}

async function renewSlots(group: Group, slots: number[], parallel: number, abort: AbortSignal, report: Report) {
  for (let from = 0; from < slots.length; from += parallel) {
    const batch = slots.slice(from, from + parallel);
    const isFirst = from === 0;
    const results = await Promise.allSettled(batch.map((slot) => renewSlot(group, slot, isFirst, abort, report)));
    for (const result of results) if (result.status === 'rejected') throw result.reason;
  }
}

async function renewSlot(group: Group, slot: number, isFirst: boolean, abort: AbortSignal, report: Report) {
  const old = group.at(slot);
  if (old && isServing(old) && canOverlap(group.spec)) await replace(group, old, isFirst, abort, report);
  else await again(group, slot, abort, report);
}

/** Stop and start without a moment at rest in between, in which the app's sockets would be closed. */
async function again(group: Group, slot: number, abort: AbortSignal, report: Report): Promise<void> {
  const process = group.at(slot);
  if (!process) return;
  group.accept();
  await withIntent(group, { kind: 'start', slots: [slot] }, async () => {
    if (hasProcess(process.state)) process.stop();
    await startAll(group, [process], true, abort, report);
  });
}

/** The old process may have left meanwhile, so it is whoever holds the slot in the end that has to go. */
async function replace(group: Group, old: ManagedProcess, isFirst: boolean, abort: AbortSignal, report: Report) {
  const output = errorOutputOf(group);
  const trial = group.createTrial(old);
  try {
    trial.start(old.expectsToListen);
    const outcome = await outcomeFor(group, trial, abort, report);
    if (!outcome.good) throw failed(group, 'RELOAD_FAILED', outcome.reason, output);
    const listens = await listensAsBefore(group, trial, abort, report);
    if (!listens || (isFirst && !(await staysUp(group, trial, abort)))) {
      throw failed(group, 'RELOAD_FAILED', 'the new process exited soon after it became ready', output);
    }
    const replaced = group.promote(trial);
    // If the daemon dies when the old one has been told to leave, the next one must know who holds the slot now.
    await group.kept();
    trial.inherit(replaced);
    await stopAll([replaced]);
    trial.settleFor(replaced);
    group.drop(replaced);
  } catch (error) {
    await stopAll([trial]);
    group.drop(trial);
    throw error;
  }
}
