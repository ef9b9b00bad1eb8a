// What outlives the daemon: the state and the spawn log on disk, and the marks of its processes.
import type { AppSpec } from '../../config/app-spec.ts';
import { sendSignal } from '../../os/terminate.ts';
import { findUser } from '../../os/users.ts';
import type { Clock } from '../../shared/clock.ts';
import { logMessages } from '../../shared/daemon-log.ts';
import { detailOf, failure } from '../../shared/errors.ts';
import type { HomePaths } from '../../shared/paths.ts';
import { randomBytes } from '../../shared/random.ts';
import type { Group } from '../apps/group.ts';
import type { GroupContext } from '../apps/group-context.ts';
import type { GroupDeps } from '../apps/group-deps.ts';
import type { Registry } from '../apps/registry.ts';
import type { Logger } from '../logger.ts';
import { brokerName, type Mark, renderMark } from '../process/mark.ts';
import type { Snapshot } from '../process/record.ts';
import type { Keeper } from '../sockets/keeper.ts';
import { type EncodedRecord, encodeRecord, encodeStateOf } from '../state/codec.ts';
import { isSameRun, originHere, whyForeign } from '../state/origin.ts';
import { findMarked, isStillThere, type UnrecordedProcess } from '../state/search.ts';
import { createSpawnLog, readSpawnLog } from '../state/spawn-log.ts';
import { createStateWriter } from '../state/state-writer.ts';
import { createStore, type StoredState } from '../state/store.ts';
import { withUnrecorded } from '../state/unrecorded.ts';

export interface PreviousState extends StoredState {
  /** All running processes that were started by the daemon that died, or by one before it. */
  marked: UnrecordedProcess[];
}

export type Persistence = ReturnType<typeof createPersistence>;

export interface PersistenceOptions {
  paths: HomePaths;
  registry: Registry;
  keeper: Pick<Keeper, 'record'> | undefined;
  clock: Clock;
  logger: Logger;
  /** The previous daemon has died. */
  isSuccession: boolean;
  /** False once the home was removed or replaced. */
  isIntact(): boolean;
}

export function createPersistence(options: PersistenceOptions) {
  const { paths, registry, keeper, clock, logger, isSuccession, isIntact } = options;
  const origin = originHere(paths);
  let sequence = 0;
  let hasBegun = false;
  const logError = (text: string) => logger.error(text);
  const spawns = createSpawnLog({ file: paths.spawns, isIntact, logError });
  const nextMark = (process: Omit<Mark, 'token' | 'home' | 'sequence'>, unrecorded?: AppSpec) => {
    sequence += 1;
    const mark = renderMark({ ...process, token: randomBytes(16).toString('hex'), home: origin.home, sequence });
    spawns.add(mark, unrecorded);
    return mark;
  };
  const readGiven = () => {
    try {
      return readSpawnLog(paths.spawns);
    } catch (error) {
      logError(`failed to read ${paths.spawns}: ${detailOf(error)}`);
      return new Map();
    }
  };
  const store = createStore({
    file: paths.state,
    reject: (snapshot) => whyForeign(snapshot.origin, origin),
    isSameRun: (snapshot) => isSameRun(snapshot.origin, origin),
    wall: clock.wall,
  });
  /** The record of each app since its last change: of a thousand, most have not changed from one write to the next. */
  const records = new WeakMap<GroupContext, EncodedRecord>();
  const recordOf = (group: Group) => {
    const record = records.get(group) ?? encodeRecord(group.record());
    records.set(group, record);
    return record;
  };
  const encode = (groups: readonly EncodedRecord[]) => {
    const kept = keeper?.record && { keeper: keeper.record };
    return encodeStateOf({ origin, sequence, lastId: registry.lastId, ...kept }, groups);
  };
  const writer = createStateWriter({
    clock,
    *prepare() {
      for (const group of registry.groups) if (!records.has(group)) yield recordOf(group);
    },
    take: () => encode(registry.groups.map(recordOf)),
    async write(bytes, kept) {
      if (isIntact()) return store.write(bytes, kept);
      logger.fatal({ pid: process.pid, home: paths.home }, logMessages.homeGone);
      void writer.close(); // it never rejects
    },
    logError,
  });
  const recogniseMarked = ({ ours, others, brokers }: ReturnType<typeof findMarked>) => {
    for (const { pid, mark } of others)
      logger.warn(
        { pid, app: mark.app },
        'left alone: this process carries the mark of the app, but runs as another user',
      );
    // One that hangs or is stopped does not notice that its daemon has died, and its processes could not connect again.
    for (const broker of brokers) {
      if (sendSignal(broker, 'SIGKILL')) logger.warn({ pid: broker.pid }, 'killed a broker of the previous daemon');
    }
    return [...ours, ...brokers].map(({ mark }) => mark.sequence);
  };
  const completed = (snapshot: Snapshot | undefined, marked: UnrecordedProcess[]): Pick<StoredState, 'snapshot'> => {
    const known = snapshot ?? { origin, sequence: 0, lastId: -1, groups: [] };
    const newer = marked.filter(({ mark }) => mark.sequence > known.sequence);
    if (!newer.some(({ unrecorded }) => unrecorded)) return {};
    return { snapshot: withUnrecorded(known, newer, ({ identity }) => isStillThere(identity), clock.wall()) };
  };
  const mark: NonNullable<GroupDeps['mark']> = (process, spec) => {
    const uid = spec.uid === undefined ? origin.uid : (findUser(spec.uid)?.uid ?? origin.uid);
    return nextMark({ ...process, app: spec.name, uid }, writer.problem === undefined ? undefined : spec);
  };
  return {
    origin,
    /** The current state as bytes. It does not rely on `changed`: the next daemon has no second look. */
    take: () => encode(registry.groups.map((group) => encodeRecord(group.record()))),
    /**
     * The state that the previous daemon left, or handed over (then it is complete). Call it once, and first. Throws STATE_UNREADABLE
     * if its processes run and nothing tells what they are: without them, the list would be wrong, and nobody would know.
     */
    find(handedOver?: Snapshot): PreviousState {
      if (handedOver) {
        sequence = handedOver.sequence;
        return { snapshot: handedOver, isOlder: false, invalid: [], problems: [], marked: [] };
      }
      const marked = isSuccession ? findMarked(origin, readGiven()) : { ours: [], others: [], brokers: [] };
      const pids = marked.ours.map(({ pid }) => pid);
      const found = store.read((problem) => {
        if (pids.length > 0) throw failure('STATE_UNREADABLE', { problem, pids });
      });
      sequence = Math.max(found.snapshot?.sequence ?? 0, ...recogniseMarked(marked));
      return { ...found, ...completed(found.snapshot, marked.ours), marked: marked.ours };
    },
    /** Starts to write changes. */
    begin() {
      hasBegun = true;
      if (registry.groups.length > 0) writer.changed();
    },
    mark,
    /** The mark of a broker, by which the next daemon finds it. */
    brokerMark: () => nextMark({ id: 0, slot: 0, restarts: 0, isTrial: false, app: brokerName, uid: origin.uid }),
    /** `group`: the app that has changed; omitted if apps were added or removed, or the keeper was replaced. */
    changed(group?: GroupContext) {
      if (group) records.delete(group);
      if (hasBegun) writer.changed();
    },
    kept: writer.kept,
    settled: writer.settled,
    /** Resolves when everything so far is written. Rejects with NOT_RECORDED if it cannot be. */
    async recorded() {
      await writer.settled();
      const { problem } = writer;
      if (problem === undefined) return;
      throw failure('NOT_RECORDED', { file: paths.state, detail: detailOf(problem) }, { cause: problem });
    },
    /** Deletes the state: all apps were stopped on purpose, so the next daemon has nothing to continue. */
    async end() {
      await writer.close();
      if (isIntact()) store.remove();
    },
  };
}
