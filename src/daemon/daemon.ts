// A daemon without a place to be: everything that manages apps, built and wired. `main.ts` has one for
// the home, detached from every terminal or under a supervisor of the system; `nsv run` has one for its apps.
import type { Handlers } from '../ipc/protocol.ts';
import { createServer, type Server } from '../ipc/server.ts';
import type { DaemonView } from '../ipc/views.ts';
import { createSampler } from '../os/sampler.ts';
import { groupLives, sendSignal } from '../os/terminate.ts';
import { treeOf } from '../os/tree.ts';
import { realClock as clock } from '../shared/clock.ts';
import { failure } from '../shared/errors.ts';
import { type HomePaths, installed } from '../shared/paths.ts';
import { protocolVersion, version } from '../shared/version.ts';
import { Group } from './apps/group.ts';
import type { GroupDeps } from './apps/group-deps.ts';
import { createManagedApps } from './apps/managed-apps.ts';
import { everything, Registry } from './apps/registry.ts';
import { createStartThrottle } from './apps/start-throttle.ts';
import { createFollowing } from './control/following.ts';
import { createHandlers, type HandlerDeps } from './control/handlers.ts';
import { persistBeforeReply } from './control/persist-before-reply.ts';
import { createRouter } from './control/router.ts';
import { createEventBus, type EventBus } from './events.ts';
import { createAdopter } from './launch/adopted.ts';
import { runHook } from './launch/hook.ts';
import { runShell } from './launch/shell.ts';
import { createSpawner } from './launch/spawn.ts';
import { openWorkerSocket } from './launch/worker-socket.ts';
import { type Logger, logEvent } from './logger.ts';
import type { Formatting } from './output/formatting.ts';
import { adopt } from './recovery/adopt.ts';
import { Gate } from './recovery/hand-over/gate.ts';
import { createHandOverSource, type HandOverSource } from './recovery/hand-over/source.ts';
import type { InheritedState } from './recovery/hand-over/successor.ts';
import { createPersistence, type PersistenceOptions } from './recovery/persistence.ts';
import { createRotation } from './rotation/rotation.ts';
import { AddressBook } from './sockets/address-book.ts';
import type { Given } from './sockets/given.ts';
import { createGroupSockets } from './sockets/group-sockets.ts';
import { isSameRun } from './state/origin.ts';
import { createSaving, type Saving } from './state/saving.ts';
import { createMemoryGuard } from './triggers/memory-guard.ts';
import { attachTriggers } from './triggers/triggers.ts';
import { onGiveup } from './upkeep/giveup-command.ts';
import { collectWhenIdle, ownHeap } from './upkeep/idle-gc.ts';
import { keepPidFiles } from './upkeep/pid-files.ts';

export interface DaemonOptions {
  paths: HomePaths;
  logger: Logger;
  streams: GroupDeps['streams'];
  formatting?: Formatting;
  /** Called once the reply to `nsv kill` is out; no app is left by then. */
  end(): void;
  /** Sockets that were there before it. */
  given?: Given[];
  /** How another daemon takes its place, where that is possible. */
  upgrade?: HandlerDeps['upgrade'];
  /** Whether its apps are to outlive it. */
  outlived?: Pick<PersistenceOptions, 'isSuccession'>;
}

export interface Daemon {
  registry: Registry;
  events: EventBus;
  handlers: Handlers;
  /** Resolves when no on-giveup command runs any more. */
  alerted(): Promise<unknown>;
  /**
   * Goes on where the daemon before this one has ended, or has handed over. No command is heard before that. False when
   * nothing can run of what it had: it ended in good order, or the system was started anew.
   */
  adopt(inherited?: InheritedState): Promise<boolean>;
  /** Stops all apps and forgets them; the saved list stays as it is. */
  removeAll(by: string): Promise<void>;
  /** All apps are gone on purpose: leaves nothing to go on from. */
  conclude(): Promise<void>;
  /** Nothing more will happen: resolves when every client has its answer, or after a moment. */
  farewell(): Promise<void>;
  /** Opens the socket of the home, which must have been claimed; or goes on with the one that is open. */
  serve(inherited?: InheritedState): Promise<void>;
  /** All that the next daemon needs. */
  handOverSource(): HandOverSource;
  /** Sends all clients to the next daemon. */
  dismiss(): void;
}

export function createDaemon(options: DaemonOptions): Daemon {
  const { paths, logger, streams, formatting, end, given, upgrade = refuseUpgrade, outlived } = options;
  const begun = clock.now();
  const events = createEventBus();
  events.subscribe((event) => logEvent(logger, event));
  const worked = collectWhenIdle(clock, ownHeap(), events);
  const commands = new Set<Promise<void>>();
  onGiveup(events, (shell) => {
    const failed = (detail: string) => logger.error({ ...shell, env: undefined, detail }, 'on-giveup command failed');
    const command = runShell(shell, failed);
    commands.add(command);
    void command.then(() => commands.delete(command)); // it never rejects
  });

  const changed = () => {
    persistence?.changed();
    saving.changed();
  };
  const registry: Registry = new Registry(changed);
  const persistence = outlived && createPersistence({ paths, registry, clock, logger, ...outlived });
  keepPidFiles(
    events,
    (app) => registry.find(app)?.spec.pidFile,
    (app, detail) => logger.warn({ app, detail }, 'cannot write the pid file'),
  );
  const book = new AddressBook(given);
  const deps: GroupDeps = {
    host: {
      clock,
      launcher: createSpawner({
        preload: installed.preload,
        ...(formatting && { formatting }),
        ...(outlived && { workers: paths.workers }),
      }),
      runHook,
      turn: createStartThrottle(),
      signal: sendSignal,
      treeOf,
      groupLives,
    },
    events,
    streams,
    nextId: () => registry.nextId(),
    createSockets: ({ name, schedule, node }) => createGroupSockets({ group: name, schedule, node, book }),
    ...persistence,
    changed,
  };
  const rotation = createRotation({ paths, events, logger, registry });
  const sampler = createSampler(clock);
  const guard = createMemoryGuard({ clock, sampler: createSampler(clock) });
  const log = (group: Group, text: string) => logger.warn({ app: group.name }, text);
  const about = (): DaemonView => {
    const { pid, version: node } = process;
    return { pid, version, protocol: protocolVersion, node, home: paths.home, uptime: Math.round(clock.now() - begun) };
  };

  /** What goes wrong is told by the rotation itself. */
  const rotateLogs = (group: Group) => void rotation.rotateLogs([everything(group)]).catch(() => {});

  const managed = createManagedApps(registry, (group) =>
    attachTriggers(group, { clock, guard, events, rotateLogs, home: paths.home, log }),
  );
  const asleep = new Set<Group>();
  /** What nsv gave up on counts: the next boot is another chance. */
  const isToRun = (group: Group) =>
    managed.isInUse(group) || asleep.has(group) || group.processes.some(({ state }) => state.kind === 'errored');
  const saving: Saving = createSaving({
    file: paths.saved,
    clock,
    list: () => registry.groups.map((group) => ({ spec: group.spec, active: isToRun(group) })),
    isUnderWay: () => registry.groups.some(({ queue }) => queue.current !== undefined),
    tell: (text) => logger.error(text),
  });
  let isEnding = false;
  async function removeAll(by: string): Promise<void> {
    isEnding = true;
    saving.close();
    await Promise.all(registry.groups.map((group) => managed.remove(group, by)));
  }
  const following = createFollowing({ registry, events, clock });
  const handlers = createHandlers({
    registry,
    clock,
    paths,
    about,
    events,
    follow: following.follow,
    createGroup: (spec) => new Group(spec, deps),
    rotateLogs: rotation.rotateLogs,
    reopenLogs: rotation.reopenLogs,
    logTroubles: rotation.problemsOf,
    managed,
    saving,
    removeAll,
    asleep,
    sample: sampler.sample,
    forgot: (app) => setImmediate(() => events.emit({ type: 'forgotten', app })),
    upgrade,
    end: () => setImmediate(end),
  });
  const gate = new Gate();
  let server: Server | undefined;
  let adopted = () => {};
  const adoption = new Promise<void>((resolve) => {
    adopted = resolve;
  });
  if (!persistence) adopted();
  return {
    registry,
    events,
    handlers,
    alerted: () => Promise.all(commands),
    async adopt(inherited) {
      if (!persistence) return false;
      const { origin } = persistence;
      const adopter = createAdopter(clock, inherited?.inputOf);
      const previous = persistence.find(inherited?.snapshot);
      const woken = await adopt(previous, {
        origin,
        registry,
        reaper: deps.host,
        adopter,
        clock,
        logger,
        createGroup: (record) => new Group(record.spec, deps, record),
        attach: managed.attach,
        giveSockets({ name, sockets }) {
          for (const held of inherited?.socketsOf(name) ?? []) sockets.takeOver(held);
        },
        remove: (group, successor) => managed.remove(group, 'delete', successor),
      });
      for (const group of woken) asleep.add(group);
      persistence.begin();
      saving.begin();
      if (previous.snapshot) await openWorkerSocket(paths.workers, adopter.attach);
      adopted();
      return previous.snapshot ? isSameRun(previous.snapshot.origin, origin) : previous.marked.length > 0;
    },
    removeAll,
    conclude: async () => persistence?.end(),
    async farewell() {
      following.end();
      await server?.answered();
    },
    async serve(inherited) {
      const kept = persistence ? persistBeforeReply(handlers, persistence.settled) : handlers;
      const route = createRouter(gate.around(kept), (error, method) =>
        logger.error({ err: error, method }, 'a handler failed'),
      );
      server = await createServer({
        paths,
        ...(inherited && { inherited: inherited.server.fd }),
        async route(...request) {
          await adoption;
          worked();
          return route(...request);
        },
        hello: { protocol: protocolVersion, version, pid: process.pid },
        onError: (error) => logger.error({ err: error }, 'socket'),
      });
    },
    handOverSource() {
      if (!persistence || !server) throw failure('INTERNAL', { detail: 'there is nothing that outlives this daemon' });
      return createHandOverSource({
        registry,
        persistence,
        saving,
        gate,
        isEnding: () => isEnding,
        server: server.socket,
      });
    },
    dismiss: () => server?.refuse(failure('HANDED_OVER', {})),
  };
}

async function refuseUpgrade(): Promise<never> {
  throw failure('CANNOT_UPDATE', {
    detail: 'it is "nsv run", which ends with its container: replace that by a new one',
  });
}

/** One app's trouble must not take the others' supervisor down: it is written to the log, and the daemon goes on. */
export function survive(logger: Logger): void {
  process.on('uncaughtException', (error) => logger.error({ err: error }, 'uncaught exception'));
  process.on('unhandledRejection', (error) => logger.error({ err: error }, 'unhandled rejection'));
}
