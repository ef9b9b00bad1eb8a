// The daemon's program, detached or in the foreground: claims the home, opens the log, serves and shuts down.
import { mkdirSync, rmSync } from 'node:fs';
import { lineFormatOf } from '../config/logs.ts';
import { forgetAllocatorSettings } from '../os/allocator.ts';
import { dismissGuard } from '../os/terminate.ts';
import { realClock } from '../shared/clock.ts';
import { crashCode, successionCode } from '../shared/daemon-exit.ts';
import { logMessages } from '../shared/daemon-log.ts';
import { detailOf, failure, NsvError } from '../shared/errors.ts';
import { homePaths } from '../shared/paths.ts';
import { version } from '../shared/version.ts';
import { createDaemon, reloadAll } from './daemon.ts';
import { createJournalStream, enterForeground } from './foreground.ts';
import { createFormatting } from './launch/home-formatting.ts';
import { createLogger, type Logger } from './logger.ts';
import { logFilesElsewhere, outletsOf } from './output/files.ts';
import { recoverAll } from './rotation/rotators.ts';
import { claimHome } from './state/singleton.ts';
import { setV8Flags } from './upkeep/idle-gc.ts';

const paths = homePaths();

/** Runs under systemd or a similar supervisor instead of nsv's guard (`nsv daemon --foreground`). */
const isForeground = process.argv.includes('--foreground');
/** The guard says that the previous daemon was aborted. */
const isWary = process.env.NSV_ABORTED !== undefined;
/** This daemon has replaced the previous one: if it fails from now on, another one must be started. */
let hasTakenOver = false;

async function main(): Promise<void> {
  // Not that of whoever launched it. Apps, and what is created in their name, get their own.
  process.umask(0o077);
  if (!isForeground) forgetAllocatorSettings();
  // An IPC channel means that the previous daemon, which is still serving, launched this one.
  const inherited = process.connected
    ? await (await import('./recovery/hand-over/successor.ts')).receiveHandOver(paths)
    : undefined;
  const claim = inherited?.claim ?? (await claimHome(paths));
  if (!claim && isForeground) throw failure('HOME_TAKEN', { home: paths.home });
  // Another daemon serves this home; the client that launched this process will find that one.
  if (!claim) return;
  mkdirSync(paths.logs, { recursive: true, mode: 0o700 });
  const logger = createLogger(paths.log, isForeground ? { also: createJournalStream(process.env) } : {});
  exitOnUncaughtError(logger);
  const foreground = isForeground ? enterForeground(paths, logger) : undefined;
  if (!foreground) rmSync(paths.supervised, { force: true });
  // A signal during startup takes effect once the daemon serves, because it is meant for the adopted apps as well.
  const asked = new Promise<void>((resolve) => {
    for (const signal of ['SIGTERM', 'SIGINT'] as const)
      process.on(signal, () => {
        daemon.events.emit({ type: 'command', method: 'kill', apps: [], by: { signal } });
        resolve();
      });
  });
  process.on('SIGHUP', () => {
    if (foreground) reloadAll(daemon);
    // The shell that launched the daemon is gone, and perhaps its terminal too.
    else logger.info('SIGHUP ignored');
  });

  // logrotate sends this after it has renamed files.
  process.on('SIGUSR2', async () => {
    try {
      if (claim.isIntact()) logger.reopen();
      await daemon.handlers.reopenLogs({ targets: [] }, () => {});
    } catch (error) {
      daemon.logger.error({ err: error }, 'failed to reopen the logs on SIGUSR2');
    }
  });

  const end = once(async () => {
    foreground?.stopping(daemon.registry);
    await daemon.removeAll('kill');
    await daemon.deleteState();
    await daemon.drainClients();
    await close();
    logger.info('daemon exiting');
    note('exits');
    if (claim.isIntact()) foreground?.release();
    claim.release();
    await dismissGuard();
    // Connections end only with the process, so a client whose connection ends knows that the daemon is gone.
    process.exit(0);
  });
  const { formatting, begin, close } = createFormatting(paths, {
    report: (...problem) => daemon.rotation.problems.set('log', ...problem),
    recovered: (file, lost) => daemon.logger.warn({ file, lost }, 'a log can be written again'),
    exited: (detail) => daemon.logger.error({ detail }, 'the formatter exited'),
  });
  const daemon = createDaemon({
    paths,
    logger,
    streams: (spec, slot) =>
      claim.isIntact()
        ? { ...outletsOf(spec, slot, paths.logs, isForeground), format: lineFormatOf(spec) }
        : logFilesElsewhere(spec, slot),
    formatting,
    end,
    async upgrade(program, report) {
      const { handOver } = await import('./recovery/hand-over/predecessor.ts');
      const way = isForeground ? 'restart' : 'hand-over';
      const view = await handOver(program, report, {
        paths,
        source: daemon.handOverSource(),
        lock: claim.lock.socket,
        way,
      });
      // Runs after the reply was written (which happens in this turn of the event loop) and before the next turn.
      process.nextTick(() => {
        logger.info(
          { way, to: view.after },
          isForeground ? 'exiting, to be started again by the supervisor' : 'handed over to another daemon',
        );
        daemon.redirectClients();
        process.exit(isForeground ? successionCode : 0);
      });
      return view;
    },
    ...(foreground && { given: foreground.given }),
    outlived: claim,
    isWary,
  });
  // A daemon that is killed does without.
  process.on('exit', () => daemon.writeJournal());
  const note = (detail: string) => daemon.events.emit({ type: 'daemon', pid: process.pid, detail });
  if (inherited) {
    await daemon.serve(inherited);
    inherited.accept();
    hasTakenOver = true;
  }
  note(beginning(inherited !== undefined, claim.isSuccession));
  if (isWary) daemon.logger.warn('the previous daemon was aborted, so a broker reads the channels of all Node apps');
  await recoverAll(paths, realClock);
  begin();
  const hasPredecessor = await daemon.adopt(inherited).catch((error) => {
    note(`exits: ${detailOf(error)}`);
    throw error;
  });
  // Whoever has a reply of this daemon finds its start in the journal.
  daemon.writeJournal();
  // Starts before any command can arrive, so that nothing a command starts gets in the way of the saved apps.
  const woken = foreground && !hasPredecessor && foreground.startApps(daemon);
  if (!inherited) await daemon.serve();
  void asked.then(end); // `asked` never rejects, and `end` reports its own errors
  setV8Flags();
  logger.info({ pid: process.pid, version, node: process.version, home: paths.home }, logMessages.ready);
  await woken;
  await foreground?.ready(daemon.registry);
}

function beginning(isHandOver: boolean, isSuccession: boolean): string {
  const us = `nsv ${version} (Node ${process.version})`;
  if (isHandOver) return `${us} takes over from the previous daemon`;
  return isSuccession ? `${us} starts, because the previous daemon has died` : `${us} starts`;
}

/** Exits on an unexpected error, since the state may be wrong. Apps keep running, and the next daemon adopts them. */
function exitOnUncaughtError(logger: Logger): void {
  const end = (error: unknown, what: string) => {
    logger.fatal({ err: error }, `${what}: the daemon exits, the apps keep running`);
    process.exit(crashCode);
  };
  process.on('uncaughtException', (error) => end(error, 'uncaught exception'));
  process.on('unhandledRejection', (error) => end(error, 'unhandled rejection'));
}

function once(run: () => Promise<void>): () => void {
  let isRunning = false;
  return () => {
    if (!isRunning)
      run().catch((error) => {
        console.error(detailOf(error));
        process.exit(1);
      });
    isRunning = true;
  };
}

main().catch((error) => {
  const isKnown = error instanceof NsvError;
  console.error(`nsv: ${detailOf(error)}${isKnown ? `\n     ${error.hint}` : ''}`);
  if (!isKnown && error instanceof Error) console.error(error.stack);
  if (hasTakenOver) process.exit(crashCode);
  process.exit(isKnown ? error.exitCode : 1);
});
