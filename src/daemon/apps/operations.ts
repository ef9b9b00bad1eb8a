// What commands do to an app. Each operation runs in the app's queue, and returns when its effect has happened.
import type { AppSpec, ProgramSpec } from '../../config/app-spec.ts';
import type { Report } from '../../ipc/protocol.ts';
import { asked, type EndReason } from '../../ipc/records/deaths.ts';
import { detailOf, failure, isFailure } from '../../shared/errors.ts';
import { settled } from '../../shared/promises.ts';
import { commandKinds } from '../problems.ts';
import { isAtRest, isServing } from '../process/lifecycle/classes.ts';
import type { ManagedProcess } from '../process/process.ts';
import type { Successor } from '../process/record.ts';
import { hasFinished, isUrgent } from '../slot/replacement.ts';
import type { Slot } from '../slot/slot.ts';
import { printedBy, startFailure } from './failed-start.ts';
import type { Group } from './group.ts';
import { postStop, preStart } from './hooks.ts';
import {
  allGood,
  type Choice,
  chosenOf,
  preempted,
  queued,
  type Replacing,
  restingIn,
  roomForOneMore,
  slotsOf,
  startAll,
  startEach,
  withIntent,
} from './steps.ts';

/** The processes of one app that a target selects. */
export interface Selection {
  group: Group;
  slots: number[];
}

/** For operations that no client waits for. */
const quiet: Report = () => {};

/** Starts an app for the first time. A program that cannot be executed is an error, not an app that keeps failing. */
export function launch(group: Group, wait: boolean, report: Report): Promise<void> {
  return queued(group, 'start', report, async (abort) => {
    const output = printedBy(group);
    await withIntent(group, { kind: 'start', slots: slotsOf(group.processes) }, async () => {
      await preStart(group, group.spec, abort, report);
      await group.sockets.open(group.spec.listen);
      const begun = ({ spawnError }: ManagedProcess) => {
        if (spawnError) throw spawnError;
      };
      await startEach(group, group.processes, abort, { begun });
    });
    if (wait) await allGood(group, group.processes, output, abort, report);
  });
}

export function start(selection: Selection, env: Env, wait: boolean, report: Report): Promise<void> {
  const { group } = selection;
  group.hold.drop();
  return queued(group, 'start', report, async (abort) => {
    renew(group, env);
    await preStart(group, group.spec, abort, report);
    const processes = processesOf(selection);
    await withIntent(group, { kind: 'start', slots: slotsOf(processes) }, () =>
      startAll(group, processes, wait, abort, report),
    );
  });
}

/** Aborts every command before it. */
export function stop({ group, slots }: Selection, report = quiet): Promise<void> {
  return preempted(group, 'stop', report, async () => {
    const wasActive = group.isActive;
    // Those that a scale has left without a slot belong to all.
    const isWhole = slots.length === group.processes.length;
    await withIntent(group, { kind: 'stop', slots }, async () => {
      await endAll(
        isWhole ? group.allSlots : group.allSlots.filter(({ index }) => slots.includes(index)),
        asked('stop'),
      );
      for (const process of processesOf({ group, slots })) process.isLeftAlone = true;
    });
    await group.sockets.returned();
    if (wasActive && !group.isActive) await postStop(group);
  });
}

/** Stops the app for good: commands behind it in the queue fail with NO_SUCH_APP. */
export async function remove(group: Group, by: string, successor?: Successor, report = quiet): Promise<void> {
  group.intents.remove(successor);
  await preempted(group, by, report, async () => {
    const wasActive = group.isActive;
    await group.kept();
    await group.host.breather();
    await endAll(group.allSlots, asked(by));
    await group.sockets.returned();
    group.sockets.close();
    if (wasActive) await postStop(group);
  });
}

/** Restarts one instance after another, so that the others keep serving; ends at the first that does not come up. */
export function restart({ group, slots }: Selection, env: Env, report: Report, settings?: Settings): Promise<void> {
  group.hold.drop();
  return queued(group, 'restart', report, async (abort) => {
    renew(group, env);
    if (settings) group.setSettings(settings);
    await preStart(group, group.spec, abort, report);
    await withIntent(group, { kind: 'start', slots: restingIn(group, slots) }, async () => {
      for (const slot of slots) await again(group, slot, { reason: asked('restart'), abort, report });
    });
  });
}

/**
 * Starts new processes before it stops the old ones, `parallel` slots at a time; ends at the first new process that
 * fails. Slots that were replaced by then stay replaced: their processes are good, and a rollback would be one more
 * risk. The first new processes must stay up for a second before any old process is stopped, so that code that
 * listens and then dies replaces nothing. After a failure, the previous settings apply again to all future starts.
 */
export function reload({ group, slots }: Selection, renewal: Renewal, report: Report): Promise<void> {
  const { env, program, settings, parallel = 1, only, reason = asked('reload') } = renewal;
  if (only !== 'running') group.hold.drop();
  return queued(group, 'reload', report, async (abort) => {
    const chosen = await chosenOf(group, slots, renewal, { abort, report });
    if (chosen.length === 0) return;
    const before = group.spec;
    if (program) expectSameKind(before, program);
    group.resetRestartLimit();
    const changes = { ...settings, ...program, ...(env && { env }) };
    group.stageSettings(changes);
    try {
      await orKept(group, chosen, { reason, abort }, async () => {
        await preStart(group, { ...before, ...changes }, abort, report);
        const renewed = () => renewSlots(group, chosen, { reason, parallel, abort, report });
        await withIntent(group, { kind: 'start', slots: restingIn(group, chosen) }, renewed);
      });
      group.commitSettings();
    } catch (error) {
      group.setSettings(before);
      throw error;
    }
    group.emit({ type: 'reload', app: group.name });
  });
}

/**
 * Replaces a process as `reload` does, if it holds its slot and serves when its turn comes. Restarts keep counting against
 * the limit, because no user has acted on the app.
 */
export function replace(group: Group, process: ManagedProcess, reason: EndReason): Promise<void> {
  return queued(group, 'replace', quiet, async (abort) => {
    if (group.at(process.slot) !== process || !isServing(process)) return;
    const how = { reason, abort, report: quiet };
    await orKept(group, [process.slot], how, () => renewSlot(group, process.slot, !isUrgent(reason), how));
  });
}

/**
 * Changes the number of instances. If the app runs, starts new ones, and those that were stopped or given up on, before it
 * stops surplus ones, those in the highest slots. What has finished its work is not run again. The next daemon finishes an
 * interrupted scale by doing all of it once more.
 */
export function scale(group: Group, instances: number, report: Report): Promise<void> {
  return queued(group, 'scale', report, async (abort) => {
    const isMore = instances > group.processes.length;
    const resize = () => {
      group.resize(instances);
      group.emit({ type: 'scale', app: group.name, instances });
    };
    await withIntent(group, { kind: 'scale', instances }, async () => {
      if (isMore) resize();
      const kept = () => group.processes.slice(0, instances);
      const missing = kept().filter((process) => isAtRest(process) && !hasFinished(group.spec, process));
      if (group.isActive) await startAll(group, missing, true, abort, report);
      else if (!group.hold.isStartDue) report(startsLater(group, instances), true);
      await endAll(group.slots.slice(instances), asked('scale'), kept().some(isServing));
      if (!isMore) resize();
    });
  });
}

export function signal(selection: Selection, name: NodeJS.Signals): void {
  for (const { child } of processesOf(selection)) if (child) selection.group.host.signal(child, name);
}

export function reset(selection: Selection): void {
  selection.group.resetRestartLimit();
  selection.group.problems.clear(...commandKinds);
  for (const process of processesOf(selection)) process.resetCounters();
}

type Env = AppSpec['env'] | undefined;
type Settings = Partial<Omit<AppSpec, 'instances'>>;

export interface Renewal extends Choice {
  env?: Env;
  /** The program to run from now on. */
  program?: ProgramSpec;
  /** The settings from now on. */
  settings?: Settings;
  /** How many instances are replaced at the same time. Default 1. */
  parallel?: number;
  /** Why the old processes end. Default: a command has asked for it. */
  reason?: EndReason;
}

export function processesOf({ group, slots }: Selection): ManagedProcess[] {
  return group.processes.filter(({ slot }) => slots.includes(slot));
}

function startsLater({ name }: Group, instances: number): string {
  return `${name} is not running: run "nsv start ${name}" to start ${instances === 1 ? 'it' : `its ${instances} instances`}`;
}

function renew(group: Group, env: Env): void {
  group.resetRestartLimit();
  if (env) group.setSettings({ env });
}

/** How an app's sockets are shared depends on whether it is a Node program. */
function expectSameKind({ node }: AppSpec, program: ProgramSpec): void {
  if (node === program.node) return;
  const problem = `--script "${program.script}" is ${program.node ? 'a' : 'not a'} Node program, unlike the app: delete the app and start it again`;
  throw failure('BAD_OPTION', { problems: [problem] });
}

/** `othersServe`: does not wait for processes that serve nobody any more, or whose event loop is blocked. */
async function endAll(slots: readonly Slot[], reason: EndReason, othersServe = false): Promise<void> {
  await Promise.all(slots.map((slot) => slot.end({ reason, othersServe })));
}

/** If the replacement fails, each process that it leaves as it was says so for as long as it runs. One that is interrupted has not failed. */
async function orKept(
  group: Group,
  slots: number[],
  { reason, abort }: Pick<Replacing, 'reason' | 'abort'>,
  replacement: () => Promise<void>,
): Promise<void> {
  const before = processesOf({ group, slots }).map((process) => ({ process, child: process.child }));
  try {
    await replacement();
  } catch (error) {
    if (abort.aborted) throw error;
    // The cause alone: the message repeats the name of the app, and that the old version runs.
    const detail = detailOf(isFailure(error, 'RELOAD_FAILED') ? error.cause : error);
    const failedReload = {
      at: group.host.clock.now(),
      detail: [...(reason.detail === undefined ? [] : [reason.detail]), detail].join(': '),
    };
    const isKept = ({ process, child }: (typeof before)[number]) =>
      child && process.child === child && isServing(process);
    for (const { process } of before.filter(isKept))
      if (group.at(process.slot) === process) process.failedReload = failedReload;
    group.changed();
    throw error;
  }
}

async function renewSlots(group: Group, slots: number[], how: Replacing) {
  const { parallel = 1 } = how;
  for (let from = 0; from < slots.length; from += parallel) {
    const batch = slots.slice(from, from + parallel);
    const isFirst = from === 0;
    await settled(batch.map((slot) => renewSlot(group, slot, isFirst, how)));
  }
}

async function renewSlot(group: Group, slot: number, isFirst: boolean, how: Replacing) {
  const { reason, abort, report } = how;
  await roomForOneMore(group, how);
  abort.throwIfAborted();
  const output = printedBy(group);
  const settled = await group.slots[slot]?.replace({ reason, isCareful: isFirst }, { abort, report });
  if (!settled || settled.kind === 'done') return;
  if (settled.kind === 'failed' && !settled.endFirst)
    throw startFailure(group, 'RELOAD_FAILED', settled.start, output, settled.death);
  abort.throwIfAborted();
  await again(group, slot, how);
}

/** Stops and starts the process without a state of rest in between, in which the app's sockets would be closed. */
async function again(group: Group, slot: number, { reason, abort, report }: Replacing): Promise<void> {
  const process = group.at(slot);
  if (!process) return;
  group.commitSettings();
  const stop = () => {
    if (!process.child) return;
    process.countReplacement(reason);
    process.stop(reason);
  };
  await withIntent(group, { kind: 'start', slots: [slot] }, () =>
    startAll(group, [process], true, abort, report, stop),
  );
}
