// Creates and connects the parts of a daemon. Nothing runs before daemon.ts starts it.
import { hasProc } from '../os/proc.ts';
import { createSampler, type Sampler } from '../os/sampler.ts';
import { sendSignal } from '../os/terminate.ts';
import { mayHaveLeft, treeOf } from '../os/tree.ts';
import { filesOfOwner } from '../os/trusted-path.ts';
import { realClock as clock } from '../shared/clock.ts';
import { type HomePaths, installed } from '../shared/paths.ts';
import type { Group } from './apps/group.ts';
import type { GroupDeps } from './apps/group-deps.ts';
import { createManagedApps, type ManagedApps } from './apps/managed-apps.ts';
import { everything, Registry } from './apps/registry.ts';
import { createStartThrottle } from './apps/start-throttle.ts';
import { type Brokers, createBrokers } from './channels/brokers.ts';
import { createEventBus, type EventBus } from './events.ts';
import { runHook } from './launch/hook.ts';
import { createSpawner } from './launch/spawn.ts';
import { type Logger, logEvent } from './logger.ts';
import type { Formatting } from './output/formatting.ts';
import { createPersistence, type Persistence, type PersistenceOptions } from './recovery/persistence.ts';
import { createRotation, type LogRotation } from './rotation/rotation.ts';
import { AddressBook } from './sockets/address-book.ts';
import { createGroupSockets } from './sockets/create-group-sockets.ts';
import { createOwnersPaths, type OwnersPaths } from './sockets/foreign/owners-paths.ts';
import type { Given } from './sockets/given.ts';
import { createSaving, type Saving } from './state/saving.ts';
import { createMemoryGuard } from './triggers/memory-guard.ts';
import { attachTriggers } from './triggers/triggers.ts';
import { runGiveupCommands } from './upkeep/giveup-command.ts';
import { collectWhenIdle, ownHeap } from './upkeep/idle-gc.ts';
import { keepPidFiles } from './upkeep/pid-files.ts';

export interface PartsOptions {
  paths: HomePaths;
  logger: Logger;
  streams: GroupDeps['streams'];
  formatting?: Formatting;
  /** Listening sockets that were passed to the daemon. */
  given?: Given[];
  /** Set if the apps outlive the daemon. */
  outlived?: Pick<PersistenceOptions, 'isSuccession' | 'isIntact'>;
  /** Whether the previous daemon was aborted, perhaps by what an app has sent (channels/brokers.ts). */
  isWary?: boolean;
}

export interface DaemonParts {
  events: EventBus;
  registry: Registry;
  /** Undefined if the apps end with the daemon. */
  persistence: Persistence | undefined;
  groupDeps: GroupDeps;
  ownersPaths: OwnersPaths;
  rotation: LogRotation;
  managed: ManagedApps;
  /** Apps that ran before the last reboot and have not been started again. */
  asleep: Set<Group>;
  saving: Saving;
  sampler: Sampler;
  brokers: Brokers;
  /** Call it for each piece of work that emits no event. */
  worked(): void;
  /** Resolves when no on-giveup command is running. */
  alerted(): Promise<unknown>;
  /** Resolves when all pid files are written or removed. */
  pidFilesKept(): Promise<unknown>;
}

export function createParts({ paths, logger, outlived, isWary = false, ...options }: PartsOptions): DaemonParts {
  const events = createEventBus();
  const onChange: (() => void)[] = [];
  const changed = () => {
    for (const each of onChange) each();
  };
  const registry = new Registry(changed);
  const persistence = outlived && createPersistence({ paths, registry, clock, logger, ...outlived });
  const workers = outlived && paths.workers;
  const running = () => registry.groups.flatMap(({ all }) => all.flatMap(({ child }) => child?.plan.spec ?? []));
  const brokers = createBrokers({ home: paths.home, workers, isWary, clock, logger, running });
  const settled = async () => persistence?.settled();
  const ownersPaths = createOwnersPaths(paths.home, installed.socketHelper);
  const groupDeps = {
    ...createGroupDeps({
      ...options,
      home: paths.home,
      workers,
      brokers,
      events,
      registry,
      ownersPaths,
      changed,
      settled,
    }),
    ...persistence,
    changed,
  };
  const rotation = createRotation({ paths, events, logger, registry, isIntact: outlived?.isIntact ?? (() => true) });
  const managed = manageApps({ paths, logger, events, registry, rotation });
  const asleep = new Set<Group>();
  const saving = createSaving({
    file: paths.saved,
    clock,
    list: () => registry.groups.map((group) => ({ spec: group.spec, active: isToRun(group, managed, asleep) })),
    ...(outlived && { mayWrite: outlived.isIntact }),
    isUnderWay: () => registry.groups.some(({ queue }) => queue.current !== undefined),
    tell: (text) => logger.error(text),
  });
  if (persistence) onChange.push(persistence.changed);
  onChange.push(saving.changed);
  const listening = listen({ home: paths.home, events, registry, logger });
  const sampler = createSampler(clock);
  const kept = { events, registry, persistence, groupDeps, brokers, ownersPaths };
  return { ...kept, rotation, managed, asleep, saving, sampler, ...listening };
}

type GroupParts = Pick<PartsOptions, 'streams' | 'formatting' | 'given'> &
  Pick<DaemonParts, 'events' | 'registry' | 'brokers' | 'ownersPaths'> & {
    home: string;
    workers: string | undefined;
    changed(): void;
    settled(): Promise<void>;
  };

function createGroupDeps(parts: GroupParts): GroupDeps {
  const { home, streams, formatting, given, workers, brokers, events, registry, ownersPaths, changed, settled } = parts;
  const book = new AddressBook(given);
  const keep = workers && hasProc ? { home, workers, program: installed.keeper, clock, changed, settled } : undefined;
  return {
    host: {
      clock,
      launcher: createSpawner({
        preload: installed.preload,
        brokers,
        ...(formatting && { formatting }),
        ...(workers !== undefined && { workers }),
      }),
      runHook,
      turn: createStartThrottle(),
      signal: sendSignal,
      treeOf,
      mayHaveLeft,
    },
    events,
    streams(spec, slot) {
      const isTheirs = filesOfOwner(spec, home);
      return isTheirs ? { ...streams(spec, slot), isTheirs } : streams(spec, slot);
    },
    nextId: () => registry.nextId(),
    createSockets: ({ name, schedule, node }, owner) =>
      createGroupSockets({ group: name, schedule, node, book, owner, ownersPaths, keep }),
  };
}

type AppParts = Pick<PartsOptions, 'paths' | 'logger'> & Pick<DaemonParts, 'events' | 'registry' | 'rotation'>;

function manageApps({ paths, logger, events, registry, rotation }: AppParts): ManagedApps {
  const triggers = {
    clock,
    events,
    home: paths.home,
    guard: createMemoryGuard({ clock, sampler: createSampler(clock) }),
    log: (group: Group, text: string) => logger.warn({ app: group.name }, text),
    /** The rotation reports its own errors. */
    rotateLogs: (group: Group) => void rotation.rotateLogs([everything(group)]).catch(() => {}),
  };
  return createManagedApps(registry, (group) => attachTriggers(group, triggers));
}

/** An app that nsv gave up on is still meant to run: the next boot is another chance. */
function isToRun(group: Group, managed: ManagedApps, asleep: ReadonlySet<Group>): boolean {
  return managed.isInUse(group) || asleep.has(group) || group.processes.some(({ state }) => state.kind === 'errored');
}

/** Connects the listeners that act on events: the log, pid files, on-giveup commands, the idle collection. */
function listen({
  home,
  events,
  registry,
  logger,
}: Pick<AppParts, 'events' | 'registry' | 'logger'> & { home: string }) {
  events.subscribe((event) => logEvent(logger, event));
  const pidFilesKept = keepPidFiles(events, {
    settingsOf: (app) => registry.find(app)?.spec,
    theirsOf: (settings) => filesOfOwner(settings, home),
    failed: (app, detail) => logger.warn({ app, detail }, 'failed to write the pid file'),
  });
  const alerted = runGiveupCommands(events, (facts) => logger.error(facts, 'on-giveup command failed'));
  return { worked: collectWhenIdle(clock, ownHeap(), events), alerted, pidFilesKept };
}
