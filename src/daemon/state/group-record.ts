// Reads the record of an app. Pure and total: every field is checked for its type and range, and what is returned
// consists of the known fields only. A checksum shows that nsv wrote a record, not that it was right to.
import { parseAppSpec } from '../../config/app-spec.ts';
import { parseMetrics } from '../../ipc/app/metrics.ts';
import { parseRuntimeValues } from '../../ipc/app/runtime-settings.ts';
import {
  among,
  array,
  bool,
  natural,
  orAbsent,
  orNull,
  processId,
  record,
  type Shape,
  string,
  time,
  variant,
} from '../../shared/shapes.ts';
import type { ProcessIdentity } from '../launch/launcher.ts';
import type { Excess, LeftState, Sequel } from '../process/lifecycle/state.ts';
import type { GroupRecord, Intent, ProcessRecord, RuntimeRecord, Successor } from '../process/record.ts';
import { endReason, exit, lastDeath } from './death-shapes.ts';

const runtimeSettings: Shape<RuntimeRecord> = record({
  version: natural,
  values: parseRuntimeValues,
  file: orAbsent(string()),
});

/** An app that another one becomes, or that is saved. */
export const successor: Shape<Successor> = record({
  spec: parseAppSpec,
  active: bool,
  isLeftAlone: orAbsent(bool),
  runtimeSettings: orAbsent(runtimeSettings),
});

const intent: Shape<Intent> = variant('kind', {
  remove: record({ successor: orAbsent(successor) }),
  scale: record({ instances: natural }),
  start: record({ slots: array(natural) }),
  stop: record({ slots: array(natural) }),
});

const excess: Shape<Excess> = record({ reason: endReason, failed: natural, next: orNull(time) });

const sequel: Shape<Sequel> = variant('kind', {
  rest: record({}),
  start: record({}),
  again: record({ delay: time, failures: natural, reason: orAbsent(string()) }),
  giveup: record({ reason: string() }),
});

// Whether the app lives on after an error is judged by the daemon that has seen the error.
const running = { pid: processId, since: time, failing: () => undefined, excess: orAbsent(excess) };

const state: Shape<LeftState> = variant('kind', {
  stopped: record({}),
  starting: record({
    ...running,
    failures: natural,
    loadedAt: orNull(time),
    deadline: orNull(time),
    late: bool,
  }),
  online: record({ ...running, failures: natural, loadedAt: time }),
  stopping: record({
    pid: processId,
    since: time,
    deadline: time,
    answerBy: orNull(time),
    killAt: time,
    gone: bool,
    overdue: bool,
    why: orNull(endReason),
    after: sequel,
  }),
  backoff: record({ failures: natural, deadline: time }),
  // What it waits for is found out again.
  waiting: record({
    failures: natural,
    reason: orNull(string()),
    isReported: () => false,
    isBinding: () => false,
    deadline: () => null,
  }),
  errored: record({ reason: string(), deadline: orNull(time) }),
});

const outlet: Shape<string | number> = (value, name) =>
  typeof value === 'number' ? natural(value, name) : string()(value, name);

const identity: Shape<ProcessIdentity> = record({
  pid: processId,
  startTime: natural,
  mark: string(),
  outFile: orAbsent(outlet),
  errorFile: orAbsent(outlet),
  logFile: orAbsent(string()),
  cgroup: orAbsent(string()),
});

const processRecord: Shape<ProcessRecord> = record({
  id: natural,
  slot: natural,
  role: among('holder', 'trial', 'leaver'),
  state,
  restarts: natural,
  planned: orAbsent(natural),
  cutShort: natural,
  lastExit: orNull(exit),
  endedAsAsked: bool,
  lastDeath: orAbsent(lastDeath),
  spawnedAt: orNull(time),
  expectsToListen: bool,
  hasListened: orNull(bool),
  isSilent: bool,
  isLeftAlone: orAbsent(bool),
  failedReload: orAbsent(record({ at: time, detail: string() })),
  unready: orAbsent(string()),
  identity: orNull(identity),
});

export const parseGroupRecord: Shape<GroupRecord> = record({
  spec: parseAppSpec,
  createdAt: time,
  recent: array(time),
  survived: orAbsent(array(among('exception', 'rejection'))),
  intent: orNull(intent),
  processes: array(processRecord),
  runtimeSettings: orAbsent(runtimeSettings),
  counted: orAbsent(parseMetrics),
});
