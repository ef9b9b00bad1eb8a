// Creates and connects the parts of a daemon. Nothing runs before daemon.ts starts it.
import { createAppCgroups } from '../os/cgroups/app-cgroups.ts';
import { createOomKills } from '../os/cgroups/oom-kills.ts';
import { createPortHolders } from '../os/ports/holders.ts';
import { hasProc } from '../os/proc.ts';
import { createSampler } from '../os/sampler.ts';
import { sendSignal } from '../os/terminate.ts';
import { mayHaveLeft, treeOf } from '../os/tree.ts';
import { filesOfOwner } from '../os/trust/trusted-path.ts';
import { realClock as clock } from '../shared/clock.ts';
import { findPreload, holdOwnCopy } from '../shared/code/own-copy.ts';
import { type HomePaths, installed } from '../shared/paths.ts';
import { createBreather } from './apps/breather.ts';
import { createDependencies } from './apps/depends-on/dependencies.ts';
import type { Dependencies } from './apps/depends-on/hold.ts';
import { Group } from './apps/group.ts';
import type { GroupContext } from './apps/group-context.ts';
import type { GroupDeps } from './apps/group-deps.ts';
import { ManagedApps, stateToSave } from './apps/managed-apps.ts';
import * as operations from './apps/operations.ts';
import { everything, Registry } from './apps/registry.ts';
import { createStartThrottle } from './apps/start-throttle.ts';
import { type Brokers, createBrokers } from './channels/brokers.ts';
import { createDeaths } from './deaths/deaths.ts';
import { createEventBus, type EventBus } from './events.ts';
import { Queues } from './in-app/queues.ts';
import { runHook } from './launch/hook.ts';
import { createSpawner } from './launch/spawn.ts';
import { type Logger, logEvent, told } from './logger.ts';
import type { Formatting } from './output/formatting.ts';
import { probesOf } from './probes/probes.ts';
import type { ReportProblem } from './problems.ts';
import { createRestartRate } from './process/restart-rate.ts';
import { createPersistence, type PersistenceOptions } from './recovery/persistence.ts';
import { createRotation, type LogRotation } from './rotation/rotation.ts';
import { AddressBook } from './sockets/address-book.ts';
import { createGroupSockets } from './sockets/create-group-sockets.ts';
import type { Given } from './sockets/given.ts';
import { Keeper } from './sockets/keeper.ts';
import { createOwnersPaths, type OwnersPaths } from './sockets/owners-paths.ts';
import { createSaving } from './state/saving.ts';
import { createMemoryGuard } from './triggers/memory-guard.ts';
import { attachTriggers } from './triggers/triggers.ts';
import { createDeathCommands } from './upkeep/death-command.ts';
import { createEventJournal, journalGap } from './upkeep/event-journal.ts';
import { runGiveupCommands } from './upkeep/giveup-command.ts';
import { collectWhenIdle, ownHeap } from './upkeep/idle-gc.ts';
import { createJournalFile } from './upkeep/journal-file.ts';
import { keepPidFiles } from './upkeep/pid-files.ts';
import { writtenFilesOf } from './upkeep/written-files.ts';

export interface PartsOptions {
  paths: HomePaths;
  logger: Logger;
  streams: GroupDeps['streams'];
  formatting?: Pick<Formatting, 'open'>;
  /** Listening sockets that were passed to the daemon. */
  given?: Given[];
  /** Set if the apps outlive the daemon. */
  outlived?: Pick<PersistenceOptions, 'isSuccession' | 'isIntact'>;
  /** Whether there may be no home to write to, as for `nsv run`. Default: there is one. */
  hasHome?: () => boolean;
  /** Whether the previous daemon was aborted, perhaps by what an app has sent (channels/brokers.ts). */
  isWary?: boolean;
}

export type DaemonParts = ReturnType<typeof createParts>;

export function createParts({ paths, outlived, isWary = false, ...options }: PartsOptions) {
  holdOwnCopy();
  const events = createEventBus();
  const logger = told(options.logger, events);
  const mayWrite = outlived?.isIntact ?? options.hasHome ?? (() => true);
  const journalFile = createJournalFile(paths.events, { mayWrite, renderLoss: journalGap });
  const journal = createEventJournal(journalFile, clock, (kept) => logEvent(options.logger, kept));
  events.subscribe(journal.add);
  const listeners: ((group?: GroupContext) => void)[] = [];
  const changed = (group?: GroupContext) => {
    for (const listener of listeners) listener(group);
  };
  const onChange = (listener: (group?: GroupContext) => void) => void listeners.push(listener);
  const registry = new Registry(changed);
  const dependencies = createDependencies({ registry, events, isComplete: !outlived });
  const workers = outlived && paths.workers;
  const apps = () => registry.groups;
  const keeper = workers && hasProc ? new Keeper({ home: paths.home, workers, clock, apps, changed }) : undefined;
  const persistence = outlived && createPersistence({ paths, registry, keeper, clock, logger, ...outlived });
  const running = () => registry.groups.flatMap(({ all }) => all.flatMap(({ child }) => child?.plan.spec ?? []));
  const mark = persistence?.brokerMark;
  const brokers = createBrokers({ home: paths.home, workers, isWary, clock, logger, running, mark });
  const ownersPaths = createOwnersPaths(paths.home, installed.socketHelper);
  const queues = new Queues();
  const groupDeps = {
    ...createGroupDeps({
      ...options,
      home: paths.home,
      workers,
      brokers,
      keeper,
      events,
      registry,
      ownersPaths,
    }),
    probes: probesOf({ clock, control: { signal: sendSignal, treeOf, mayHaveLeft }, events }),
    ...persistence,
    dependencies,
    queues,
    changed,
  };
  const rotation = createRotation({ paths, events, logger, registry, isIntact: outlived?.isIntact ?? (() => true) });
  const managed = manageApps({ paths, events, registry, dependencies, groupDeps, rotation });
  const saving = createSaving({
    file: paths.saved,
    clock,
    list: () =>
      registry.groups.map((group) => ({
        spec: group.spec,
        active: managed.isToRun(group),
        ...stateToSave(group),
      })),
    ...(outlived && { mayWrite: outlived.isIntact }),
    isUnderWay: () => registry.groups.some(({ queue }) => queue.current !== undefined),
    logError: (text) => logger.error(text),
  });
  if (persistence) onChange(persistence.changed);
  onChange(saving.changed);
  const listening = listen({ paths, mayWrite, events, registry, logger });
  const sampler = createSampler(clock);
  return {
    logger,
    events,
    journal,
    registry,
    /** Undefined if the apps end with the daemon. */
    persistence,
    groupDeps,
    dependencies,
    queues,
    ownersPaths,
    rotation,
    managed,
    saving,
    sampler,
    brokers,
    /** Undefined if the apps end with the daemon, and without /proc. */
    keeper,
    /** Has `listener` called after each change of an app. */
    onChange,
    ...listening,
  };
}

interface GroupParts extends Pick<PartsOptions, 'streams' | 'formatting' | 'given'> {
  home: string;
  workers: string | undefined;
  brokers: Brokers;
  keeper: Keeper | undefined;
  events: EventBus;
  registry: Registry;
  ownersPaths: OwnersPaths;
}

function createGroupDeps(parts: GroupParts): GroupDeps {
  const { home, streams, formatting, given, workers, brokers, keeper, events, registry, ownersPaths } = parts;
  const book = new AddressBook(given);
  return {
    host: {
      clock,
      launcher: createSpawner({
        preload: findPreload,
        brokers,
        ...(formatting && { formatting }),
        ...(workers !== undefined && { workers }),
        cgroups: createAppCgroups(),
      }),
      oomKills: createOomKills(),
      portHolders: createPortHolders(clock, (pid) => registry.instanceOf(pid)),
      runHook,
      restartRate: createRestartRate(clock),
      turn: createStartThrottle(),
      breather: createBreather(clock),
      signal: sendSignal,
      treeOf,
      mayHaveLeft,
    },
    events,
    streams(spec, slot) {
      const isUserFile = filesOfOwner(spec, home);
      return isUserFile ? { ...streams(spec, slot), isUserFile } : streams(spec, slot);
    },
    nextId: () => registry.nextId(),
    renamed: (group: Group, before) => registry.renamed(group, before),
    replace: operations.replace,
    createSockets: ({ name, schedule, node }, app) =>
      createGroupSockets({ group: name, schedule, node, book, app, ownersPaths, keeper, now: () => clock.now() }),
  };
}

interface AppParts extends Pick<PartsOptions, 'paths'> {
  events: EventBus;
  registry: Registry;
  dependencies: Dependencies;
  groupDeps: GroupDeps;
  rotation: LogRotation;
}

function manageApps({ paths, events, registry, dependencies, groupDeps, rotation }: AppParts): ManagedApps {
  const triggers = {
    clock,
    events,
    home: paths.home,
    writtenFiles: () => writtenFilesOf(registry.groups),
    guard: createMemoryGuard({ clock, sampler: createSampler(clock) }),
    sampler: createSampler(clock),
    /** The rotation reports its own errors. */
    rotateLogs: (group: Group) => void rotation.rotateLogs([everything(group)]).catch(() => {}),
  };
  return new ManagedApps({
    registry,
    dependencies,
    createGroup: (spec) => new Group(spec, groupDeps),
    attachTriggers: (group) => attachTriggers(group, triggers),
  });
}

/** Connects the listeners that act on events: pid files, on-giveup commands, the idle collection. */
function listen({
  paths: { home, deaths: directory },
  mayWrite,
  events,
  registry,
  logger,
}: Pick<AppParts, 'paths' | 'events' | 'registry'> & { logger: Logger; mayWrite(): boolean }) {
  const isKnown = (app: string) => registry.find(app) !== undefined;
  const logError = (text: string) => logger.error(text);
  const settingsOf = (app: string) => registry.find(app)?.spec;
  const settingsOfProcess = (app: string, pid: number) =>
    registry.find(app)?.all.find(({ child }) => child?.pid === pid)?.child?.plan.spec ?? settingsOf(app);
  const report: ReportProblem = (app, ...problem) => registry.find(app)?.problems.set(...problem);
  const commands = createDeathCommands({ clock, settingsOf, run: runHook, report });
  const deaths = createDeaths({ directory, events, clock, mayWrite, logError, isKnown, recorded: commands.died });
  process.on('exit', deaths.flush);
  const pidFilesKept = keepPidFiles(events, {
    settingsOf: settingsOfProcess,
    userFilesOf: (settings) => filesOfOwner(settings, home),
    report,
  });
  const given = runGiveupCommands(events, runHook, report);
  return {
    deaths,
    /** Call it for each piece of work that emits no event. */
    worked: collectWhenIdle(clock, ownHeap(), events),
    /** Resolves when no on-giveup or on-death command is running. */
    alerted: () => Promise.all([given(), commands.settled()]),
    /** Resolves when all pid files are written or removed. */
    pidFilesKept,
  };
}
