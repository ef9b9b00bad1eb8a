// Reads the record of an app. Pure and total: every field is checked for its type and range, and what is returned
// consists of the known fields only. A checksum shows that nsv wrote a record, not that it was right to.
import { parseAppSpec } from '../../config/app-spec.ts';
import { parseMetrics } from '../../ipc/app/metrics.ts';
import { parseRuntimeValues } from '../../ipc/app/runtime-settings.ts';
import type { HandledErrorKind } from '../../ipc/worker-messages.ts';
import type { ProcessIdentity } from '../launch/launcher.ts';
import type { Excess, Kind, LeftState, Sequel } from '../process/lifecycle/state.ts';
import type { GroupRecord, Intent, ProcessRecord, Role, RuntimeRecord, Successor } from '../process/record.ts';
import { exitOf, reasonOf, summaryOf } from './death-fields.ts';
import { countOf, type Fields, fieldsOf, flagOf, listOf, oneOf, orNull, pidOf, textOf, timeOf } from './fields.ts';

type Readers<T extends string, R extends { kind: T }> = { [K in T]: (fields: Fields) => Extract<R, { kind: K }> };

/** Throws an Error that says what is wrong. */
export function parseGroupRecord(input: unknown): GroupRecord {
  const { spec, createdAt, recent, survived, intent, processes, counted } = fieldsOf(input, 'app');
  return {
    spec: parseAppSpec(spec),
    createdAt: timeOf(createdAt, 'createdAt'),
    recent: listOf(recent, 'recent', (time) => timeOf(time, 'recent')),
    ...(survived !== undefined && { survived: listOf(survived, 'survived', failureOf) }),
    intent: orNull(intent, 'intent', intentOf),
    processes: listOf(processes, 'processes', processOf),
    ...runtimeSettingsIn(input),
    ...(counted !== undefined && { counted: parseMetrics(counted) }),
  };
}

const failures: readonly HandledErrorKind[] = ['exception', 'rejection'];

function failureOf(input: unknown): HandledErrorKind {
  return oneOf(input, 'survived', failures);
}

const intents: Readers<Intent['kind'], Intent> = {
  remove: ({ successor }) => ({
    kind: 'remove',
    ...(successor !== undefined && { successor: successorOf(successor) }),
  }),
  scale: ({ instances }) => ({ kind: 'scale', instances: countOf(instances, 'instances') }),
  start: ({ slots }) => ({ kind: 'start', slots: slotsOf(slots) }),
  stop: ({ slots }) => ({ kind: 'stop', slots: slotsOf(slots) }),
};

function intentOf(input: unknown): Intent {
  return variantOf(input, 'intent', intents);
}

function slotsOf(input: unknown): number[] {
  return listOf(input, 'slots', (slot) => countOf(slot, 'slots'));
}

function successorOf(input: unknown): Successor {
  const { spec, active } = fieldsOf(input, 'successor');
  return { spec: parseAppSpec(spec), active: flagOf(active, 'active'), ...runtimeSettingsIn(input) };
}

const roles: readonly Role[] = ['holder', 'trial', 'leaver'];

function processOf(input: unknown): ProcessRecord {
  const process = fieldsOf(input, 'process');
  return {
    id: countOf(process.id, 'id'),
    slot: countOf(process.slot, 'slot'),
    role: oneOf(process.role, 'role', roles),
    state: variantOf(process.state, 'state', states),
    restarts: countOf(process.restarts, 'restarts'),
    ...(process.planned !== undefined && { planned: countOf(process.planned, 'planned') }),
    cutShort: countOf(process.cutShort, 'cutShort'),
    lastExit: orNull(process.lastExit, 'lastExit', exitOf),
    endedAsAsked: flagOf(process.endedAsAsked, 'endedAsAsked'),
    ...(process.lastDeath !== undefined && { lastDeath: summaryOf(process.lastDeath) }),
    spawnedAt: orNull(process.spawnedAt, 'spawnedAt', timeOf),
    expectsToListen: flagOf(process.expectsToListen, 'expectsToListen'),
    hasListened: orNull(process.hasListened, 'hasListened', flagOf),
    isSilent: flagOf(process.isSilent, 'isSilent'),
    ...(process.unready !== undefined && { unready: textOf(process.unready, 'unready') }),
    identity: orNull(process.identity, 'identity', identityOf),
  };
}

const states: Readers<LeftState['kind'], LeftState> = {
  stopped: () => ({ kind: 'stopped' }),
  starting: (state) => ({
    ...runningOf(state, 'starting'),
    failures: countOf(state.failures, 'failures'),
    loadedAt: orNull(state.loadedAt, 'loadedAt', timeOf),
    deadline: orNull(state.deadline, 'deadline', timeOf),
    late: flagOf(state.late, 'late'),
    ...excessIn(state),
  }),
  online: (state) => ({
    ...runningOf(state, 'online'),
    failures: countOf(state.failures, 'failures'),
    loadedAt: timeOf(state.loadedAt, 'loadedAt'),
    ...excessIn(state),
  }),
  stopping: (state) => ({
    ...runningOf(state, 'stopping'),
    deadline: timeOf(state.deadline, 'deadline'),
    answerBy: orNull(state.answerBy, 'answerBy', timeOf),
    killAt: timeOf(state.killAt, 'killAt'),
    gone: flagOf(state.gone, 'gone'),
    overdue: flagOf(state.overdue, 'overdue'),
    why: orNull(state.why, 'why', reasonOf),
    after: variantOf(state.after, 'after', sequels),
  }),
  backoff: ({ failures, deadline }) => ({
    kind: 'backoff',
    failures: countOf(failures, 'failures'),
    deadline: timeOf(deadline, 'deadline'),
  }),
  waiting: ({ failures, reason }) => ({
    kind: 'waiting',
    failures: countOf(failures, 'failures'),
    reason: orNull(reason, 'reason', textOf),
    isReported: false,
    isBinding: false,
    deadline: null,
  }),
  errored: ({ reason, deadline }) => ({
    kind: 'errored',
    reason: textOf(reason, 'reason'),
    deadline: orNull(deadline, 'deadline', timeOf),
  }),
};

const sequels: Readers<Sequel['kind'], Sequel> = {
  rest: () => ({ kind: 'rest' }),
  start: () => ({ kind: 'start' }),
  again: ({ delay, failures }) => ({
    kind: 'again',
    delay: timeOf(delay, 'delay'),
    failures: countOf(failures, 'failures'),
  }),
  giveup: ({ reason }) => ({ kind: 'giveup', reason: textOf(reason, 'reason') }),
};

function excessIn({ excess }: Fields): { excess?: Excess } {
  if (excess === undefined) return {};
  const { reason, failed, next } = fieldsOf(excess, 'excess');
  return {
    excess: { reason: reasonOf(reason), failed: countOf(failed, 'failed'), next: orNull(next, 'next', timeOf) },
  };
}

function runningOf<K extends Kind>({ pid, since }: Fields, kind: K): { kind: K; pid: number; since: number } {
  return { kind, pid: pidOf(pid, 'pid'), since: timeOf(since, 'since') };
}

function identityOf(input: unknown): ProcessIdentity {
  const { pid, startTime, mark, outFile, errorFile, logFile, cgroup } = fieldsOf(input, 'identity');
  return {
    pid: pidOf(pid, 'pid'),
    startTime: countOf(startTime, 'startTime'),
    mark: textOf(mark, 'mark'),
    ...(outFile !== undefined && { outFile: textOf(outFile, 'outFile') }),
    ...(errorFile !== undefined && { errorFile: textOf(errorFile, 'errorFile') }),
    ...(logFile !== undefined && { logFile: textOf(logFile, 'logFile') }),
    ...(cgroup !== undefined && { cgroup: textOf(cgroup, 'cgroup') }),
  };
}

/** Reads an object by the function for its `kind`. */
function variantOf<T extends string, R extends { kind: T }>(input: unknown, what: string, readers: Readers<T, R>): R {
  const fields = fieldsOf(input, what);
  const kind = oneOf(fields.kind, `${what}.kind`, Object.keys(readers) as T[]);
  return readers[kind](fields);
}

/** Empty if the app has none. Throws an Error that says what is wrong. */
export function runtimeSettingsIn(record: unknown): { runtimeSettings?: RuntimeRecord } {
  const { runtimeSettings } = fieldsOf(record, 'app');
  if (runtimeSettings === undefined) return {};
  const { version, values, file } = fieldsOf(runtimeSettings, 'runtimeSettings');
  const given = { version: countOf(version, 'version'), values: parseRuntimeValues(values) };
  return { runtimeSettings: { ...given, ...(file !== undefined && { file: textOf(file, 'file') }) } };
}
