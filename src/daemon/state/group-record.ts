// Reads the record of an app. Pure and total: every field is checked for its type and range, and what is returned
// consists of the known fields only. A checksum shows that nsv wrote a record, not that it was right to.
import { parseAppSpec } from '../../config/app-spec.ts';
import { parseMetrics } from '../../ipc/app/metrics.ts';
import { parseRuntimeValues } from '../../ipc/app/runtime-settings.ts';
import type { HandledErrorKind } from '../../ipc/worker-messages.ts';
import type { ProcessIdentity } from '../launch/launcher.ts';
import type { Excess, Kind, LeftState, Sequel } from '../process/lifecycle/state.ts';
import type { GroupRecord, Intent, ProcessRecord, Role, RuntimeRecord, Successor } from '../process/record.ts';
import { exitOf, readReason, readSummary } from './death-fields.ts';
import {
  type Fields,
  orNull,
  readCount,
  readFlag,
  readList,
  readObject,
  readOneOf,
  readPid,
  readText,
  readTime,
} from './fields.ts';

type Readers<T extends string, R extends { kind: T }> = { [K in T]: (fields: Fields) => Extract<R, { kind: K }> };

/** Throws an Error that says what is wrong. */
export function parseGroupRecord(input: unknown): GroupRecord {
  const { spec, createdAt, recent, survived, intent, processes, counted } = readObject(input, 'app');
  return {
    spec: parseAppSpec(spec),
    createdAt: readTime(createdAt, 'createdAt'),
    recent: readList(recent, 'recent', (time) => readTime(time, 'recent')),
    ...(survived !== undefined && { survived: readList(survived, 'survived', failureOf) }),
    intent: orNull(intent, 'intent', intentOf),
    processes: readList(processes, 'processes', processOf),
    ...runtimeSettingsIn(input),
    ...(counted !== undefined && { counted: parseMetrics(counted) }),
  };
}

const failures: readonly HandledErrorKind[] = ['exception', 'rejection'];

function failureOf(input: unknown): HandledErrorKind {
  return readOneOf(input, 'survived', failures);
}

const intents: Readers<Intent['kind'], Intent> = {
  remove: ({ successor }) => ({
    kind: 'remove',
    ...(successor !== undefined && { successor: successorOf(successor) }),
  }),
  scale: ({ instances }) => ({ kind: 'scale', instances: readCount(instances, 'instances') }),
  start: ({ slots }) => ({ kind: 'start', slots: slotsOf(slots) }),
  stop: ({ slots }) => ({ kind: 'stop', slots: slotsOf(slots) }),
};

function intentOf(input: unknown): Intent {
  return variantOf(input, 'intent', intents);
}

function slotsOf(input: unknown): number[] {
  return readList(input, 'slots', (slot) => readCount(slot, 'slots'));
}

function successorOf(input: unknown): Successor {
  const { spec, active } = readObject(input, 'successor');
  return { spec: parseAppSpec(spec), active: readFlag(active, 'active'), ...runtimeSettingsIn(input) };
}

const roles: readonly Role[] = ['holder', 'trial', 'leaver'];

function processOf(input: unknown): ProcessRecord {
  const process = readObject(input, 'process');
  return {
    id: readCount(process.id, 'id'),
    slot: readCount(process.slot, 'slot'),
    role: readOneOf(process.role, 'role', roles),
    state: variantOf(process.state, 'state', states),
    restarts: readCount(process.restarts, 'restarts'),
    ...(process.planned !== undefined && { planned: readCount(process.planned, 'planned') }),
    cutShort: readCount(process.cutShort, 'cutShort'),
    lastExit: orNull(process.lastExit, 'lastExit', exitOf),
    endedAsAsked: readFlag(process.endedAsAsked, 'endedAsAsked'),
    ...(process.lastDeath !== undefined && { lastDeath: readSummary(process.lastDeath) }),
    spawnedAt: orNull(process.spawnedAt, 'spawnedAt', readTime),
    expectsToListen: readFlag(process.expectsToListen, 'expectsToListen'),
    hasListened: orNull(process.hasListened, 'hasListened', readFlag),
    isSilent: readFlag(process.isSilent, 'isSilent'),
    ...(process.unready !== undefined && { unready: readText(process.unready, 'unready') }),
    identity: orNull(process.identity, 'identity', identityOf),
  };
}

const states: Readers<LeftState['kind'], LeftState> = {
  stopped: () => ({ kind: 'stopped' }),
  starting: (state) => ({
    ...runningOf(state, 'starting'),
    failures: readCount(state.failures, 'failures'),
    loadedAt: orNull(state.loadedAt, 'loadedAt', readTime),
    deadline: orNull(state.deadline, 'deadline', readTime),
    late: readFlag(state.late, 'late'),
    ...excessIn(state),
  }),
  online: (state) => ({
    ...runningOf(state, 'online'),
    failures: readCount(state.failures, 'failures'),
    loadedAt: readTime(state.loadedAt, 'loadedAt'),
    ...excessIn(state),
  }),
  stopping: (state) => ({
    ...runningOf(state, 'stopping'),
    deadline: readTime(state.deadline, 'deadline'),
    answerBy: orNull(state.answerBy, 'answerBy', readTime),
    killAt: readTime(state.killAt, 'killAt'),
    gone: readFlag(state.gone, 'gone'),
    overdue: readFlag(state.overdue, 'overdue'),
    why: orNull(state.why, 'why', readReason),
    after: variantOf(state.after, 'after', sequels),
  }),
  backoff: ({ failures, deadline }) => ({
    kind: 'backoff',
    failures: readCount(failures, 'failures'),
    deadline: readTime(deadline, 'deadline'),
  }),
  waiting: ({ failures, reason }) => ({
    kind: 'waiting',
    failures: readCount(failures, 'failures'),
    reason: orNull(reason, 'reason', readText),
    isReported: false,
    isBinding: false,
    deadline: null,
  }),
  errored: ({ reason, deadline }) => ({
    kind: 'errored',
    reason: readText(reason, 'reason'),
    deadline: orNull(deadline, 'deadline', readTime),
  }),
};

const sequels: Readers<Sequel['kind'], Sequel> = {
  rest: () => ({ kind: 'rest' }),
  start: () => ({ kind: 'start' }),
  again: ({ delay, failures }) => ({
    kind: 'again',
    delay: readTime(delay, 'delay'),
    failures: readCount(failures, 'failures'),
  }),
  giveup: ({ reason }) => ({ kind: 'giveup', reason: readText(reason, 'reason') }),
};

function excessIn({ excess }: Fields): { excess?: Excess } {
  if (excess === undefined) return {};
  const { reason, failed, next } = readObject(excess, 'excess');
  return {
    excess: { reason: readReason(reason), failed: readCount(failed, 'failed'), next: orNull(next, 'next', readTime) },
  };
}

function runningOf<K extends Kind>({ pid, since }: Fields, kind: K): { kind: K; pid: number; since: number } {
  return { kind, pid: readPid(pid, 'pid'), since: readTime(since, 'since') };
}

function identityOf(input: unknown): ProcessIdentity {
  const { pid, startTime, mark, outFile, errorFile, logFile, cgroup } = readObject(input, 'identity');
  return {
    pid: readPid(pid, 'pid'),
    startTime: readCount(startTime, 'startTime'),
    mark: readText(mark, 'mark'),
    ...(outFile !== undefined && { outFile: readText(outFile, 'outFile') }),
    ...(errorFile !== undefined && { errorFile: readText(errorFile, 'errorFile') }),
    ...(logFile !== undefined && { logFile: readText(logFile, 'logFile') }),
    ...(cgroup !== undefined && { cgroup: readText(cgroup, 'cgroup') }),
  };
}

/** Reads an object by the function for its `kind`. */
function variantOf<T extends string, R extends { kind: T }>(input: unknown, what: string, readers: Readers<T, R>): R {
  const fields = readObject(input, what);
  const kind = readOneOf(fields.kind, `${what}.kind`, Object.keys(readers) as T[]);
  return readers[kind](fields);
}

/** Empty if the app has none. Throws an Error that says what is wrong. */
export function runtimeSettingsIn(record: unknown): { runtimeSettings?: RuntimeRecord } {
  const { runtimeSettings } = readObject(record, 'app');
  if (runtimeSettings === undefined) return {};
  const { version, values, file } = readObject(runtimeSettings, 'runtimeSettings');
  const given = { version: readCount(version, 'version'), values: parseRuntimeValues(values) };
  return { runtimeSettings: { ...given, ...(file !== undefined && { file: readText(file, 'file') }) } };
}
