// The daemon: builds everything, wires it, and ends when it is told to.
import { mkdirSync } from 'node:fs';
import { createServer } from '../ipc/server.ts';
import type { DaemonView } from '../ipc/views.ts';
import { realClock } from '../shared/clock.ts';
import { detailOf } from '../shared/errors.ts';
import { homePaths, installed } from '../shared/paths.ts';
import { protocolVersion, version } from '../shared/version.ts';
import { createEvents } from './events.ts';
import { onGiveup } from './giveup-command.ts';
import { Group, type GroupMeans } from './group.ts';
import { createHandlers } from './handlers.ts';
import { runShell } from './launch/shell.ts';
import { createSpawner } from './launch/spawn.ts';
import { createLogger, logEvent } from './logger.ts';
import { createMemoryGuard } from './memory-guard.ts';
import * as operations from './operations.ts';
import { Registry } from './registry.ts';
import { createRouter } from './router.ts';
import { createSampler } from './sampler.ts';
import { claimHome } from './singleton.ts';
import { AddressBook } from './sockets/address-book.ts';
import { createGroupSockets } from './sockets/group-sockets.ts';
import { groupLives, signal } from './terminate.ts';
import { treeOf } from './tree.ts';
import { attachTriggers } from './triggers.ts';
import { createTurnstile } from './turnstile.ts';

const clock = realClock;
const paths = homePaths();
const begun = clock.now();

async function main(): Promise<void> {
  const claim = await claimHome(paths);
  // Another daemon serves this home: whoever launched us will find that one.
  if (!claim) return;
  mkdirSync(paths.logs, { recursive: true, mode: 0o700 });
  const logger = createLogger(paths.log);
  survive(logger);

  const events = createEvents();
  events.subscribe((event) => logEvent(logger, event));
  onGiveup(events, (shell) =>
    runShell(shell, (detail) => logger.error({ ...shell, env: undefined, detail }, 'on-giveup command failed')),
  );

  const registry = new Registry();
  const book = new AddressBook();
  const means: GroupMeans = {
    host: {
      clock,
      launcher: createSpawner({ preload: installed.preload }),
      turn: createTurnstile(),
      signal,
      treeOf,
      groupLives,
    },
    events,
    logs: paths.logs,
    nextId: () => registry.nextId(),
    createSockets: ({ name, schedule, node }) => createGroupSockets({ group: name, schedule, node, book }),
  };
  const sampler = createSampler(clock);
  const guard = createMemoryGuard({ clock, sampler: createSampler(clock) });
  const log = (group: Group, text: string) => logger.warn({ app: group.name }, text);

  const end = once(async () => {
    await Promise.all(registry.groups.map((group) => operations.remove(group, 'kill')));
    logger.info('the daemon ends');
    claim.release();
    // Connections end with the process: so a client that sees its own end knows that the daemon is gone.
    process.exit(0);
  });
  const handlers = createHandlers({
    registry,
    clock,
    paths,
    about,
    createGroup: (spec) => new Group(spec, means),
    attach: (group) => attachTriggers(group, { clock, guard, events, home: paths.home, log }),
    sample: sampler.sample,
    end: () => setImmediate(end),
  });
  const route = createRouter(handlers, (error, method) => logger.error({ err: error, method }, 'a handler failed'));
  const hello = { protocol: protocolVersion, version, pid: process.pid };
  await createServer({
    paths,
    route,
    hello,
    onError: (error) => logger.error({ err: error }, 'socket'),
  });
  for (const name of ['SIGTERM', 'SIGINT'] as const) process.on(name, end);
  logger.info({ pid: process.pid, version, node: process.version, home: paths.home }, 'the daemon serves');
}

function about(): DaemonView {
  const { pid, version: node } = process;
  return { pid, version, protocol: protocolVersion, node, home: paths.home, uptime: Math.round(clock.now() - begun) };
}

/** One app's trouble must not take the others' supervisor down: it is written to the log, and the daemon goes on. */
function survive(logger: ReturnType<typeof createLogger>): void {
  process.on('uncaughtException', (error) => logger.error({ err: error }, 'uncaught exception'));
  process.on('unhandledRejection', (error) => logger.error({ err: error }, 'unhandled rejection'));
  // The shell that launched us is gone, and so may be its terminal.
  process.on('SIGHUP', () => logger.info('SIGHUP ignored'));
}

function once(run: () => Promise<void>): () => void {
  let isRunning = false;
  return () => {
    if (!isRunning) run().catch((error) => console.error(detailOf(error)));
    isRunning = true;
  };
}

main().catch((error) => {
  console.error(`nsv: ${detailOf(error)}`);
  process.exit(1);
});
