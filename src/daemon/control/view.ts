// Converts internal state to the views of the protocol: the only place that shapes what goes over the wire.
import { maskSecrets } from '../../ipc/app/runtime-settings.ts';
import type { RuntimeSettingsView } from '../../ipc/app/views.ts';
import type { EventView } from '../../ipc/journal/event-views.ts';
import type { Params } from '../../ipc/protocol.ts';
import type {
  AppView,
  DeathSummary,
  DeathView,
  LogFilesView,
  ProblemView,
  ProcessView,
  Status,
} from '../../ipc/views.ts';
import type { Sample, Sampler } from '../../os/sampler.ts';
import type { Clock } from '../../shared/clock.ts';
import { hasCompleted } from '../apps/app-readiness.ts';
import type { Group } from '../apps/group.ts';
import { processesOf, type Selection } from '../apps/operations.ts';
import type { Deaths } from '../deaths/deaths.ts';
import type { DaemonEvent } from '../events.ts';
import { allFiles, fileOf } from '../output/streams.ts';
import type { LastDeath } from '../process/death/death.ts';
import { giveupReasonOf } from '../process/lifecycle/classes.ts';
import type { Kind, State } from '../process/lifecycle/state.ts';
import type { ManagedProcess } from '../process/process.ts';
import type { LogRotation } from '../rotation/rotation.ts';
import { hasFinished, isScheduled } from '../slot/replacement.ts';
import { ownPortsOf } from '../sockets/own-ports.ts';
import { leakOf } from '../triggers/leak-watch.ts';

const statuses: Record<Kind, Status> = {
  stopped: 'stopped',
  spawning: 'starting',
  starting: 'starting',
  online: 'online',
  stopping: 'stopping',
  backoff: 'waiting restart',
  waiting: 'waiting restart',
  errored: 'errored',
};

export interface ViewDeps {
  sampler: Sampler;
  clock: Clock;
  /** What knows the problems of log files. */
  rotation: Pick<LogRotation, 'problemsOf'>;
}

/** In the order of the targets, with what the processes use at the moment. */
export async function viewProcesses(
  selections: readonly Selection[],
  { sampler, clock, rotation }: ViewDeps,
): Promise<ProcessView[]> {
  const chosen = selections.flatMap((selection) => {
    const { group } = selection;
    const problems = problemsOf(group, rotation);
    return processesOf(selection).map((process) => ({ group, process, problems }));
  });
  const usage = await sampler.sample(chosen.flatMap(({ process }) => process.child ?? []));
  const now = clock.now();
  return chosen.map(({ group, process, problems }) => {
    const view = viewProcess(group, process, usage.get(process.child?.pid ?? -1), now);
    const all = [...failedReloadOf(process, now), ...problems];
    if (all.length > 0) view.problems = all;
    return view;
  });
}

/** What the processes of the app have in common. */
export function problemsOf(group: Group, rotation: ViewDeps['rotation']): ProblemView[] {
  return [...group.problems.views(), ...rotation.problemsOf(group)];
}

export function failedReloadOf({ child, failedReload }: ManagedProcess, now: number): ProblemView[] {
  if (!child || !failedReload) return [];
  return [{ about: 'reload', detail: failedReload.detail, ago: Math.round(now - failedReload.at) }];
}

/** A literal and some assignments: with spreads, each view would be an object of 10 kB, and a list may have a thousand. */
export function viewProcess(
  group: Group,
  process: ManagedProcess,
  usage: Sample | undefined,
  now: number,
): ProcessView {
  const { spec, sockets, inApp } = group;
  const { state, child } = process;
  const files = viewLogFiles(group, process);
  const standing = viewStanding(group, process);
  const ports = child ? ownPortsOf(group, child, usage?.pids ?? []) : [];
  const view: ProcessView = {
    id: files.id,
    name: files.name,
    slot: files.slot,
    outFile: files.outFile,
    errorFile: files.errorFile,
    namespace: spec.namespace,
    instances: spec.instances,
    mode: spec.node ? spec.schedule : 'fork',
    pid: child?.pid ?? null,
    status: standing.status,
    completed: standing.completed,
    restarts: standing.restarts,
    planned: standing.planned,
    earlyExits: standing.earlyExits,
    lastExit: standing.lastExit,
    lastDeath: standing.lastDeath,
    reason: standing.reason,
    since: child ? process.spawnedAt : null,
    uptime: 'since' in state ? Math.round(now - state.since) : null,
    cpu: usage?.cpu ?? null,
    memory: usage?.memory ?? null,
    ports,
    cutShort: process.cutShort,
  };
  if (files.logFile !== undefined) view.logFile = files.logFile;
  if (files.owner) view.owner = files.owner;
  if (standing.waitsFor) view.waitsFor = standing.waitsFor;
  if (standing.finished) view.finished = true;
  if (standing.scheduled) view.scheduled = true;
  if (standing.unready !== undefined) view.unready = standing.unready;
  if (state.kind === 'online' && process.isSilent && ports.length === 0) view.silent = true;
  if (!child) return view;
  const leak = leakOf(child);
  if (leak) view.leak = leak;
  const urls = sockets.urlsOf(child);
  if (urls.length > 0) view.urls = urls;
  const queues = inApp.queuesOf(child);
  if (queues.length > 0) view.queues = queues;
  return view;
}

export function viewLogFiles(group: Group, process: ManagedProcess): LogFilesView {
  const { id, slot, child } = process;
  // A change of the number of instances changes the names of log files, but not for processes that already run.
  const plan = child?.plan ?? group.plan(process);
  const { outFile, errorFile, logFile, isUserFile, spec } = plan;
  const view: LogFilesView = { id, name: group.name, slot, outFile: fileOf(outFile), errorFile: fileOf(errorFile) };
  if (logFile !== undefined) view.logFile = logFile;
  if (isUserFile) view.owner = { uid: spec.uid, gid: spec.gid, files: allFiles(plan).filter(isUserFile) };
  return view;
}

function statusOf(state: State): Status {
  return state.kind === 'waiting' && state.reason !== null ? 'errored' : statuses[state.kind];
}

type Standing = Pick<
  ProcessView,
  | 'status'
  | 'waitsFor'
  | 'unready'
  | 'completed'
  | 'finished'
  | 'scheduled'
  | 'restarts'
  | 'planned'
  | 'earlyExits'
  | 'lastExit'
  | 'lastDeath'
  | 'reason'
>;

/** The status of a process, without measuring anything on the machine. */
export function viewStanding({ spec, hold }: Group, process: ManagedProcess): Standing {
  const { state, restarts, planned, lastExit, lastDeath, unready } = process;
  const waitsFor = hold.waitsFor(process);
  const standing: Standing = {
    status: waitsFor.length > 0 ? 'held' : statusOf(state),
    completed: hasCompleted(spec, process),
    restarts,
    planned,
    earlyExits: 'failures' in state ? state.failures : 0,
    lastExit,
    lastDeath: lastDeath && viewSummary(lastDeath),
    reason: giveupReasonOf(state),
  };
  if (waitsFor.length > 0) standing.waitsFor = waitsFor;
  if (hasFinished(spec, process)) standing.finished = true;
  if (isScheduled(spec, process)) standing.scheduled = true;
  if (state.kind === 'online' && unready !== null) standing.unready = unready;
  return standing;
}

function viewSummary({ cause, about, times, at, lastAt }: LastDeath): DeathSummary {
  return { cause, about, times, at, lastAt };
}

export function viewApp(group: Group, processes: ProcessView[], problems: ProblemView[]): AppView {
  const { spec, createdAt, inApp } = group;
  const withMetrics = group.all.flatMap(({ id, child }) =>
    child && inApp.hasMetrics(child) ? [{ id, pid: child.pid }] : [],
  );
  const { past: endedMetrics } = inApp.counts;
  const app = { spec, createdAt, sockets: group.sockets.addresses(), problems };
  return {
    ...app,
    ...(withMetrics.length > 0 && { withMetrics }),
    ...(endedMetrics.length > 0 && { endedMetrics }),
    processes,
  };
}

export function viewSettings({ name, inApp, all, problems }: Group, secrets = false): RuntimeSettingsView {
  const { version, values, file = null } = inApp.settings.held;
  const processes = all.flatMap(({ id, slot, child }) =>
    child?.plan.spec.node ? [{ id, slot, pid: child.pid, version: inApp.settings.versionOf(child) }] : [],
  );
  return {
    name,
    version,
    values: secrets ? values : maskSecrets(values),
    file,
    problem: problems.detailOf('settings'),
    processes,
  };
}

/** Calls of a stack in a record without details. */
const fewFrames = 3;

/** Oldest first. Of an app that is selected as a whole, also those in slots that it no longer has. */
export function viewDeaths(
  selections: readonly Selection[],
  deaths: Pick<Deaths, 'of'>,
  { number, details }: Omit<Params<'deaths'>, 'targets'>,
): DeathView[] {
  return selections
    .flatMap(({ group, slots }) => {
      const isWhole = slots.length === group.processes.length;
      return deaths.of(group.name).filter((death) => isWhole || death.slots.some((slot) => slots.includes(slot)));
    })
    .filter((death) => number === undefined || death.number === number)
    .sort((one, other) => one.lastAt - other.lastAt)
    .map((death) => (details ? death : shortened(death)));
}

function shortened(death: DeathView): DeathView {
  const { error, stack } = death;
  return {
    ...death,
    error: error && { ...error, frames: error.frames.slice(0, fewFrames) },
    stack: stack?.slice(0, fewFrames) ?? null,
    output: [],
  };
}

/** `at`: milliseconds since 1970. */
export function viewEvent(event: DaemonEvent, at: number): EventView {
  if (event.type === 'giveup') {
    const { lastError: _lastError, spec: _spec, ...shown } = event;
    return { ...shown, at };
  }
  if (event.type === 'exit') {
    const { death, ...shown } = event;
    return { ...shown, at, ...(death && { cause: death.cause }) };
  }
  return { ...event, at };
}
