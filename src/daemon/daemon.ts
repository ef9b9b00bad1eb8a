// A daemon without a place to be: everything that manages apps, built and wired. `main.ts` detaches one from every
// terminal; `nsv run` has one in the foreground.
import type { Handlers } from '../ipc/protocol.ts';
import { createServer } from '../ipc/server.ts';
import type { DaemonView } from '../ipc/views.ts';
import { realClock as clock } from '../shared/clock.ts';
import { type HomePaths, installed } from '../shared/paths.ts';
import { protocolVersion, version } from '../shared/version.ts';
import { adopt } from './adopt.ts';
import { type ContinuityOptions, createContinuity } from './continuity.ts';
import { createEvents, type Events } from './events.ts';
import { createFollowing } from './following.ts';
import { onGiveup } from './giveup-command.ts';
import { Group } from './group.ts';
import { createHandlers } from './handlers.ts';
import { keeping } from './keeping.ts';
import { createAdopter } from './launch/adopted.ts';
import { runHook } from './launch/hook.ts';
import { runShell } from './launch/shell.ts';
import { createSpawner } from './launch/spawn.ts';
import { openWorkerSocket } from './launch/worker-socket.ts';
import { type Logger, logEvent } from './logger.ts';
import { createMemoryGuard } from './memory-guard.ts';
import type { Formatting } from './output/formatting.ts';
import { keepPidFiles } from './pid-files.ts';
import { everything, Registry } from './registry.ts';
import { createRoster } from './roster.ts';
import { createRotation } from './rotation/rotation.ts';
import { createRouter } from './router.ts';
import { createSampler } from './sampler.ts';
import { AddressBook } from './sockets/address-book.ts';
import { createGroupSockets } from './sockets/group-sockets.ts';
import type { GroupMeans } from './surroundings.ts';
import { groupLives, signal } from './terminate.ts';
import { keepTidy, ownHeap } from './tidy.ts';
import { treeOf } from './tree.ts';
import { attachTriggers } from './triggers.ts';
import { createTurnstile } from './turnstile.ts';

export interface DaemonOptions {
  paths: HomePaths;
  logger: Logger;
  streams: GroupMeans['streams'];
  formatting?: Formatting;
  /** Called once the reply to `nsv kill` is out; no app is left by then. */
  end(): void;
  /** Whether its apps are to outlive it. */
  outlived?: Pick<ContinuityOptions, 'isSuccession' | 'at'>;
}

export interface Daemon {
  registry: Registry;
  events: Events;
  handlers: Handlers;
  /** Resolves when no on-giveup command runs any more. */
  alerted(): Promise<unknown>;
  /** Goes on where the daemon before this one has ended. To be called before `serve`. */
  adopt(): Promise<void>;
  /** All apps are gone on purpose: leaves nothing to go on from. */
  conclude(): Promise<void>;
  /** Opens the socket of the home, which must have been claimed. */
  serve(): Promise<void>;
}

export function createDaemon({ paths, logger, streams, formatting, end, outlived }: DaemonOptions): Daemon {
  const begun = clock.now();
  const events = createEvents();
  events.subscribe((event) => logEvent(logger, event));
  const heap = ownHeap();
  const worked = heap ? keepTidy(clock, heap, events) : () => {};
  const commands = new Set<Promise<void>>();
  onGiveup(events, (shell) => {
    const failed = (detail: string) => logger.error({ ...shell, env: undefined, detail }, 'on-giveup command failed');
    const command = runShell(shell, failed);
    commands.add(command);
    command.then(() => commands.delete(command));
  });

  const registry: Registry = new Registry(() => continuity?.changed());
  const continuity = outlived && createContinuity({ paths, registry, clock, logger, ...outlived });
  keepPidFiles(
    events,
    (app) => registry.find(app)?.spec.pidFile,
    (app, detail) => logger.warn({ app, detail }, 'cannot write the pid file'),
  );
  const book = new AddressBook();
  const means: GroupMeans = {
    host: {
      clock,
      launcher: createSpawner({
        preload: installed.preload,
        ...(formatting && { formatting }),
        ...(outlived && { workers: paths.workers }),
      }),
      runHook,
      turn: createTurnstile(),
      signal,
      treeOf,
      groupLives,
    },
    events,
    streams,
    nextId: () => registry.nextId(),
    createSockets: ({ name, schedule, node }) => createGroupSockets({ group: name, schedule, node, book }),
    ...continuity,
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

  const roster = createRoster(registry, (group) =>
    attachTriggers(group, { clock, guard, events, rotateLogs, home: paths.home, log }),
  );
  const asleep = new Set<Group>();
  const handlers = createHandlers({
    registry,
    clock,
    paths,
    about,
    events,
    following: createFollowing({ registry, events, clock }),
    createGroup: (spec) => new Group(spec, means),
    rotateLogs: rotation.rotateLogs,
    reopenLogs: rotation.reopenLogs,
    logTroubles: rotation.troublesOf,
    roster,
    asleep,
    sample: sampler.sample,
    forgot: (app) => setImmediate(() => events.emit({ type: 'forgotten', app })),
    end: () => setImmediate(end),
  });
  return {
    registry,
    events,
    handlers,
    alerted: () => Promise.all(commands),
    async adopt() {
      if (!continuity) return;
      const { origin } = continuity;
      const adopter = createAdopter(clock);
      const legacy = continuity.find();
      const woken = await adopt(legacy, {
        origin,
        registry,
        reaper: means.host,
        adopter,
        clock,
        logger,
        createGroup: (record) => new Group(record.spec, means, record),
        attach: roster.attach,
        remove: (group) => roster.remove(group, 'delete'),
      });
      for (const group of woken) asleep.add(group);
      continuity.begin();
      if (legacy.snapshot) await openWorkerSocket(paths.workers, adopter.attach);
    },
    conclude: async () => continuity?.end(),
    async serve() {
      const kept = continuity ? keeping(handlers, continuity.settled) : handlers;
      const route = createRouter(kept, (error, method) => logger.error({ err: error, method }, 'a handler failed'));
      await createServer({
        paths,
        route(...request) {
          worked();
          return route(...request);
        },
        hello: { protocol: protocolVersion, version, pid: process.pid },
        onError: (error) => logger.error({ err: error }, 'socket'),
      });
    },
  };
}

/** One app's trouble must not take the others' supervisor down: it is written to the log, and the daemon goes on. */
export function survive(logger: Logger): void {
  process.on('uncaughtException', (error) => logger.error({ err: error }, 'uncaught exception'));
  process.on('unhandledRejection', (error) => logger.error({ err: error }, 'unhandled rejection'));
}
