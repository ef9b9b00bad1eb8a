// A daemon without a place to be: everything that manages apps, built and wired. `main.ts` has one for
// the home, detached from every terminal or under a supervisor of the system; `nsv run` has one for its apps.
import type { Handlers } from '../ipc/protocol.ts';
import { createServer, type Server } from '../ipc/server.ts';
import type { DaemonView } from '../ipc/views.ts';
import { createSampler } from '../os/sampler.ts';
import { groupLives, signal } from '../os/terminate.ts';
import { treeOf } from '../os/tree.ts';
import { realClock as clock } from '../shared/clock.ts';
import { failure } from '../shared/errors.ts';
import { type HomePaths, installed } from '../shared/paths.ts';
import { protocolVersion, version } from '../shared/version.ts';
import { Group } from './apps/group.ts';
import { everything, Registry } from './apps/registry.ts';
import { createRoster } from './apps/roster.ts';
import { createTurnstile } from './apps/turnstile.ts';
import { createFollowing } from './control/following.ts';
import { createHandlers, type HandlerMeans } from './control/handlers.ts';
import { keeping } from './control/keeping.ts';
import { createRouter } from './control/router.ts';
import { createEvents, type Events } from './events.ts';
import { createAdopter } from './launch/adopted.ts';
import { runHook } from './launch/hook.ts';
import { runShell } from './launch/shell.ts';
import { createSpawner } from './launch/spawn.ts';
import { openWorkerSocket } from './launch/worker-socket.ts';
import { type Logger, logEvent } from './logger.ts';
import type { Formatting } from './output/formatting.ts';
import type { GroupMeans } from './process/surroundings.ts';
import { adopt } from './recovery/adopt.ts';
import { type ContinuityOptions, createContinuity } from './recovery/continuity.ts';
import { type Belongings, belongingsOf } from './recovery/succession/belongings.ts';
import { Gate } from './recovery/succession/gate.ts';
import type { Heritage } from './recovery/succession/heritage.ts';
import { createRotation } from './rotation/rotation.ts';
import { AddressBook } from './sockets/address-book.ts';
import type { Given } from './sockets/given.ts';
import { createGroupSockets } from './sockets/group-sockets.ts';
import { isSameRun } from './state/origin.ts';
import { createSaving, type Saving } from './state/saving.ts';
import { createMemoryGuard } from './triggers/memory-guard.ts';
import { attachTriggers } from './triggers/triggers.ts';
import { onGiveup } from './upkeep/giveup-command.ts';
import { keepPidFiles } from './upkeep/pid-files.ts';
import { keepTidy, ownHeap } from './upkeep/tidy.ts';

export interface DaemonOptions {
  paths: HomePaths;
  logger: Logger;
  streams: GroupMeans['streams'];
  formatting?: Formatting;
  /** Called once the reply to `nsv kill` is out; no app is left by then. */
  end(): void;
  /** Sockets that were there before it. */
  given?: Given[];
  /** How another daemon takes its place, where that is possible. */
  upgrade?: HandlerMeans['upgrade'];
  /** Whether its apps are to outlive it. */
  outlived?: Pick<ContinuityOptions, 'isSuccession' | 'at'>;
}

export interface Daemon {
  registry: Registry;
  events: Events;
  handlers: Handlers;
  /** Resolves when no on-giveup command runs any more. */
  alerted(): Promise<unknown>;
  /**
   * Goes on where the daemon before this one has ended, or has handed over. No command is heard before that. False when
   * nothing can run of what it had: it ended in good order, or the system was started anew.
   */
  adopt(heritage?: Heritage): Promise<boolean>;
  /** Stops all apps and forgets them; the saved list stays as it is. */
  removeAll(by: string): Promise<void>;
  /** All apps are gone on purpose: leaves nothing to go on from. */
  conclude(): Promise<void>;
  /** Nothing more will happen: resolves when every client has its answer, or after a moment. */
  farewell(): Promise<void>;
  /** Opens the socket of the home, which must have been claimed; or goes on with the one that is open. */
  serve(heritage?: Heritage): Promise<void>;
  /** All that the next daemon needs. */
  belongings(): Belongings;
  /** Sends all clients to the next daemon. */
  dismiss(): void;
}

export function createDaemon(options: DaemonOptions): Daemon {
  const { paths, logger, streams, formatting, end, given, upgrade = refuseUpgrade, outlived } = options;
  const begun = clock.now();
  const events = createEvents();
  events.subscribe((event) => logEvent(logger, event));
  const worked = keepTidy(clock, ownHeap(), events);
  const commands = new Set<Promise<void>>();
  onGiveup(events, (shell) => {
    const failed = (detail: string) => logger.error({ ...shell, env: undefined, detail }, 'on-giveup command failed');
    const command = runShell(shell, failed);
    commands.add(command);
    command.then(() => commands.delete(command));
  });

  const changed = () => {
    continuity?.changed();
    saving.changed();
  };
  const registry: Registry = new Registry(changed);
  const continuity = outlived && createContinuity({ paths, registry, clock, logger, ...outlived });
  keepPidFiles(
    events,
    (app) => registry.find(app)?.spec.pidFile,
    (app, detail) => logger.warn({ app, detail }, 'cannot write the pid file'),
  );
  const book = new AddressBook(given);
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

  const roster = createRoster(registry, (group) =>
    attachTriggers(group, { clock, guard, events, rotateLogs, home: paths.home, log }),
  );
  const asleep = new Set<Group>();
  /** What nsv gave up on counts: the next boot is another chance. */
  const isToRun = (group: Group) =>
    roster.isInUse(group) || asleep.has(group) || group.processes.some(({ state }) => state.kind === 'errored');
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
    await Promise.all(registry.groups.map((group) => roster.remove(group, by)));
  }
  const following = createFollowing({ registry, events, clock });
  const handlers = createHandlers({
    registry,
    clock,
    paths,
    about,
    events,
    follow: following.follow,
    createGroup: (spec) => new Group(spec, means),
    rotateLogs: rotation.rotateLogs,
    reopenLogs: rotation.reopenLogs,
    logTroubles: rotation.troublesOf,
    roster,
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
  if (!continuity) adopted();
  return {
    registry,
    events,
    handlers,
    alerted: () => Promise.all(commands),
    async adopt(heritage) {
      if (!continuity) return false;
      const { origin } = continuity;
      const adopter = createAdopter(clock, heritage?.inputOf);
      const legacy = continuity.find(heritage?.snapshot);
      const woken = await adopt(legacy, {
        origin,
        registry,
        reaper: means.host,
        adopter,
        clock,
        logger,
        createGroup: (record) => new Group(record.spec, means, record),
        attach: roster.attach,
        endow({ name, sockets }) {
          for (const held of heritage?.socketsOf(name) ?? []) sockets.takeOver(held);
        },
        remove: (group, successor) => roster.remove(group, 'delete', successor),
      });
      for (const group of woken) asleep.add(group);
      continuity.begin();
      saving.begin();
      if (legacy.snapshot) await openWorkerSocket(paths.workers, adopter.attach);
      adopted();
      return legacy.snapshot ? isSameRun(legacy.snapshot.origin, origin) : legacy.marked.length > 0;
    },
    removeAll,
    conclude: async () => continuity?.end(),
    async farewell() {
      following.end();
      await server?.answered();
    },
    async serve(heritage) {
      const kept = continuity ? keeping(handlers, continuity.settled) : handlers;
      const route = createRouter(gate.around(kept), (error, method) =>
        logger.error({ err: error, method }, 'a handler failed'),
      );
      server = await createServer({
        paths,
        ...(heritage && { inherited: heritage.server.fd }),
        async route(...request) {
          await adoption;
          worked();
          return route(...request);
        },
        hello: { protocol: protocolVersion, version, pid: process.pid },
        onError: (error) => logger.error({ err: error }, 'socket'),
      });
    },
    belongings() {
      if (!continuity || !server) throw failure('INTERNAL', { detail: 'there is nothing that outlives this daemon' });
      return belongingsOf({ registry, continuity, saving, gate, isEnding: () => isEnding, server: server.socket });
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
