// Creates, connects and starts everything that manages apps, independent of where it runs. `main.ts` uses it for the
// daemon of a home (detached, or under a system supervisor), `nsv run` for its own apps.
import { jointProgress } from '../ipc/joint-progress.ts';
import type { Report } from '../ipc/protocol.ts';
import { keeperMark } from '../ipc/worker-messages.ts';
import { createAppCgroups } from '../os/cgroups/app-cgroups.ts';
import { realClock as clock } from '../shared/clock.ts';
import { detailOf, failure } from '../shared/errors.ts';
import type { HomePaths } from '../shared/paths.ts';
import { deferred } from '../shared/promises.ts';
import { Group } from './apps/group.ts';
import type { Registry } from './apps/registry.ts';
import type { Brokers } from './channels/brokers.ts';
import { openWorkerSocket } from './channels/worker-socket.ts';
import { createCommandServer } from './command-server.ts';
import type { HandlerDeps } from './control/handlers.ts';
import { createHealthReport, type HealthFacts } from './control/health-report.ts';
import { failedReloadOf, problemsOf } from './control/view.ts';
import { type Adopter, createAdopter } from './launch/adopted.ts';
import type { Logger } from './logger.ts';
import { createParts, type DaemonParts, type PartsOptions } from './parts.ts';
import type { GroupRecord } from './process/record.ts';
import { adoptProcesses } from './recovery/adopt.ts';
import { createHandOverSource, type HandOverSource } from './recovery/hand-over/source.ts';
import type { InheritedState } from './recovery/hand-over/successor.ts';
import type { Keeper } from './sockets/keeper.ts';
import { isSameRun } from './state/origin.ts';

export interface DaemonOptions extends PartsOptions {
  /** Called once the reply to `nsv kill` has been sent; no app is left by then. */
  end(): void;
  /** Replaces this daemon by another one. If omitted, such a request is refused. */
  upgrade?: HandlerDeps['upgrade'];
  /** What the daemon runs for, and whether that is ending. */
  health?: HealthFacts;
}

export type Daemon = ReturnType<typeof createDaemon>;

export function createDaemon(options: DaemonOptions) {
  const { paths, end, upgrade = refuseUpgrade } = options;
  const parts = createParts(options);
  const {
    logger,
    registry,
    events,
    journal,
    managed,
    ownersPaths,
    saving,
    persistence,
    brokers,
    alerted,
    pidFilesKept,
  } = parts;
  let isEnding = false;
  const health = createHealthReport(registry, {
    isStopping: () => isEnding || options.health?.isStopping() === true,
    purpose: options.health?.purpose,
    problemsOf: (group) => [
      ...group.processes.flatMap((process) => failedReloadOf(process, clock.now())),
      ...problemsOf(group, parts.rotation),
    ],
  });

  /** Stops and removes all apps; leaves the saved list unchanged. */
  async function removeAll(by: string, report: Report = () => {}): Promise<void> {
    isEnding = true;
    saving.close();
    const { groups } = registry;
    const track = jointProgress(groups.length, 'stopped', report);
    await Promise.all(groups.map((group) => track(group.name, (own) => managed.remove(group, by, undefined, own))));
    await Promise.all([pidFilesKept(), ownersPaths.settled()]);
  }

  const { promise: ready, resolve: adopted } = deferred();
  if (!persistence) adopted();
  const server = createCommandServer(parts, { paths, logger, removeAll, upgrade, end, ready, health });
  return {
    logger,
    registry,
    events,
    rotation: parts.rotation,
    onChange: parts.onChange,
    /** Writes all events so far to the journal. */
    writeJournal: journal.flush,
    handlers: server.handlers,
    health,
    /** Resolves when no on-giveup command is running, and all pid files are written or removed. */
    alerted: () => Promise.all([alerted(), pidFilesKept()]),
    /**
     * Continues where the previous daemon ended or handed over; commands wait until then. Resolves with false if none of
     * its processes can still be running: it ended cleanly, or the system was rebooted.
     */
    async adopt(inherited?: InheritedState) {
      const hasPredecessor = await restoreAndAdopt(parts, paths, inherited);
      adopted();
      return hasPredecessor;
    },
    removeAll,
    /** Deletes the recovery state: all apps were stopped on purpose. */
    async deleteState() {
      await persistence?.end();
      await brokers.close();
    },
    drainClients: server.drainClients,
    /** Opens the socket of the home, which must be claimed, or takes over the open socket of the previous daemon. */
    serve: server.open,
    /** Everything the next daemon needs. */
    handOverSource(): HandOverSource {
      const { gate, socket } = server;
      if (!persistence || !socket) throw failure('INTERNAL', { detail: 'this daemon keeps no state to hand over' });
      const kept = { registry, persistence, saving, journal };
      return createHandOverSource({ ...kept, gate, isEnding: () => isEnding, server: socket });
    },
    redirectClients: server.redirectClients,
  };
}

async function restoreAndAdopt(
  { logger, registry, groupDeps, dependencies, managed, saving, persistence, brokers, keeper, onChange }: DaemonParts,
  paths: HomePaths,
  inherited: InheritedState | undefined,
): Promise<boolean> {
  if (!persistence) return false;
  const { origin } = persistence;
  const adopter = createAdopter({ clock, inputOf: inherited?.inputOf, cgroups: createAppCgroups() });
  brokers.adoptWith((uid, ...returned) => adopter.attach(...returned, (spec) => brokers.userOf(spec) === uid));
  const previous = persistence.find(inherited?.snapshot);
  const isContinued = previous.snapshot !== undefined && isSameRun(previous.snapshot.origin, origin);
  const formerKeeper = isContinued ? previous.snapshot?.keeper : undefined;
  if (formerKeeper && !inherited) keeper?.expect(formerKeeper);
  const woken = await adoptProcesses(previous, {
    origin,
    registry,
    reaper: groupDeps.host,
    adopter,
    clock,
    logger,
    createGroup: (record) => new Group(record.spec, groupDeps, record),
    attach: (group) => managed.attach(group),
    giveSockets({ name, sockets }) {
      for (const held of inherited?.socketsOf(name) ?? []) sockets.takeOver(held);
    },
    async remove(group, successor) {
      await managed.remove(group, 'delete', successor);
      saving.flush();
    },
  });
  if (inherited) keeper?.replace(formerKeeper);
  if (keeper) onChange(() => keeper.changed());
  for (const group of woken) managed.notResurrected.add(group);
  dependencies.complete();
  persistence.begin();
  saving.begin(previous.snapshot?.groups.filter(isBeingRemoved).map(({ spec }) => spec.name));
  if (previous.snapshot) await openForReturns(paths, adopter, brokers, registry, keeper);
  return previous.snapshot ? isContinued : previous.marked.length > 0;
}

function isBeingRemoved({ intent }: GroupRecord): boolean {
  return intent?.kind === 'remove' && !intent.successor;
}

/** Lets the adopted processes connect again: those of other users to the brokers of these. */
async function openForReturns(
  { workers }: HomePaths,
  { attach }: Adopter,
  brokers: Brokers,
  { groups }: Registry,
  keeper: Keeper | undefined,
): Promise<void> {
  const adopted = groups.flatMap(({ all }) => all.flatMap(({ child }) => child?.plan.spec ?? []));
  const users = new Set(adopted.filter(({ node }) => node).map(brokers.userOf));
  for (const user of users) if (user !== undefined) brokers.expect(user);
  if (!users.has(undefined) && !keeper) return;
  await openWorkerSocket(workers, (mark, pid, channel) => {
    if (!keeper || !mark.startsWith(keeperMark))
      return attach(mark, pid, channel, (spec) => brokers.userOf(spec) === undefined);
    keeper.attach(channel);
    return true;
  });
}

async function refuseUpgrade(): Promise<never> {
  throw failure('CANNOT_UPDATE', {
    detail: '"nsv run" cannot be updated while it runs: deploy a new container instead',
  });
}

/** Logs unexpected errors and carries on: one app's fault must not take down the supervisor of the others. */
export function logUncaughtErrors(logger: Logger): void {
  process.on('uncaughtException', (error) => logger.error({ err: error }, 'uncaught exception'));
  process.on('unhandledRejection', (error) => logger.error({ err: error }, 'unhandled rejection'));
}

/**
 * Reloads the running apps on SIGHUP, which does not mean to a daemon in the foreground that a terminal has hung up. Stopped and ended
 * ones stay as they are.
 */
export function reloadAll({ registry, handlers, events, logger }: Daemon): void {
  const targets = registry.groups.filter(({ isActive }) => isActive).map(({ name }) => name);
  if (targets.length === 0) return;
  events.emit({ type: 'command', method: 'reload', apps: targets, by: { signal: 'SIGHUP' } });
  Promise.resolve(handlers.reload({ targets, parallel: 1, only: 'running' }, () => {})).catch((error) =>
    logger.error({ detail: detailOf(error) }, 'the reload by SIGHUP failed'),
  );
}
