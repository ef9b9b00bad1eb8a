// A daemon without a place to be: everything that manages apps, created, connected and started. `main.ts` has one for
// the home, detached from every terminal or under a supervisor of the system; `nsv run` has one for its apps.
import type { Handlers } from '../ipc/protocol.ts';
import { realClock as clock } from '../shared/clock.ts';
import { failure } from '../shared/errors.ts';
import type { HomePaths } from '../shared/paths.ts';
import { Group } from './apps/group.ts';
import type { Registry } from './apps/registry.ts';
import { createCommandServer } from './command-server.ts';
import type { HandlerDeps } from './control/handlers.ts';
import type { EventBus } from './events.ts';
import { createAdopter } from './launch/adopted.ts';
import { openWorkerSocket } from './launch/worker-socket.ts';
import type { Logger } from './logger.ts';
import { createParts, type DaemonParts, type PartsOptions } from './parts.ts';
import { adopt } from './recovery/adopt.ts';
import { createHandOverSource, type HandOverSource } from './recovery/hand-over/source.ts';
import type { InheritedState } from './recovery/hand-over/successor.ts';
import { isSameRun } from './state/origin.ts';

export interface DaemonOptions extends PartsOptions {
  /** Called once the reply to `nsv kill` is out; no app is left by then. */
  end(): void;
  /** How another daemon takes its place, where that is possible. */
  upgrade?: HandlerDeps['upgrade'];
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
  const { paths, logger, end, upgrade = refuseUpgrade } = options;
  const parts = createParts(options);
  const { registry, events, managed, saving, persistence, alerted } = parts;
  let isEnding = false;

  async function removeAll(by: string): Promise<void> {
    isEnding = true;
    saving.close();
    await Promise.all(registry.groups.map((group) => managed.remove(group, by)));
  }

  const adoption = persistence ? createSignal() : undefined;
  const ready = adoption?.given ?? Promise.resolve();
  const server = createCommandServer(parts, { paths, logger, removeAll, upgrade, end, ready });
  return {
    registry,
    events,
    handlers: server.handlers,
    alerted,
    async adopt(inherited) {
      const hasPredecessor = await goOn(parts, paths, logger, inherited);
      adoption?.give();
      return hasPredecessor;
    },
    removeAll,
    conclude: async () => persistence?.end(),
    farewell: server.farewell,
    serve: server.open,
    handOverSource() {
      const { gate, socket } = server;
      if (!persistence || !socket) throw failure('INTERNAL', { detail: 'this daemon keeps no state to hand over' });
      return createHandOverSource({ registry, persistence, saving, gate, isEnding: () => isEnding, server: socket });
    },
    dismiss: server.dismiss,
  };
}

async function goOn(
  { registry, groupDeps, managed, asleep, saving, persistence }: DaemonParts,
  paths: HomePaths,
  logger: Logger,
  inherited: InheritedState | undefined,
): Promise<boolean> {
  if (!persistence) return false;
  const { origin } = persistence;
  const adopter = createAdopter(clock, inherited?.inputOf);
  const previous = persistence.find(inherited?.snapshot);
  const woken = await adopt(previous, {
    origin,
    registry,
    reaper: groupDeps.host,
    adopter,
    clock,
    logger,
    createGroup: (record) => new Group(record.spec, groupDeps, record),
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
  return previous.snapshot ? isSameRun(previous.snapshot.origin, origin) : previous.marked.length > 0;
}

/** What one waits for and another one gives, once. */
function createSignal(): { given: Promise<void>; give(): void } {
  let give = () => {};
  const given = new Promise<void>((resolve) => {
    give = resolve;
  });
  return { given, give };
}

async function refuseUpgrade(): Promise<never> {
  throw failure('CANNOT_UPDATE', {
    detail: '"nsv run" cannot be updated while it runs: deploy a new container instead',
  });
}

/** One app's trouble must not take the others' supervisor down: it is written to the log, and the daemon goes on. */
export function survive(logger: Logger): void {
  process.on('uncaughtException', (error) => logger.error({ err: error }, 'uncaught exception'));
  process.on('unhandledRejection', (error) => logger.error({ err: error }, 'unhandled rejection'));
}
