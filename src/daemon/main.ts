// The daemon's program, detached or in the foreground: its home, its log, its end.
import { mkdirSync, rmSync } from 'node:fs';
import { lineFormatOf } from '../config/line-format.ts';
import { forgetAllocatorSettings } from '../os/allocator.ts';
import { dismissGuard } from '../os/terminate.ts';
import { realClock } from '../shared/clock.ts';
import { crashCode, successionCode } from '../shared/daemon-exit.ts';
import { logMessages } from '../shared/daemon-log.ts';
import { detailOf, failure, NsvError } from '../shared/errors.ts';
import { homePaths } from '../shared/paths.ts';
import { withSourceLines } from '../shared/source-lines.ts';
import { version } from '../shared/version.ts';
import { createDaemon } from './daemon.ts';
import { enterForeground } from './foreground.ts';
import { createJournalStream } from './journal.ts';
import { createFormatting } from './launch/create-formatting.ts';
import { createLogger, type Logger } from './logger.ts';
import { logFiles } from './output/files.ts';
import { reloadAll } from './reload-all.ts';
import { recoverAtStart } from './rotation/recovery.ts';
import { claimHome } from './state/singleton.ts';
import { setV8Flags } from './upkeep/v8-flags.ts';

const paths = homePaths();

/** Under systemd or its like instead of a guard (`nsv daemon --foreground`). */
const isForeground = process.argv.includes('--foreground');
/** Has taken over from the daemon before it: whatever happens, another one is to go on. */
let hasTakenOver = false;

async function main(): Promise<void> {
  if (!isForeground) forgetAllocatorSettings();
  // Launched by the daemon before it, which still serves.
  const inherited = process.connected
    ? await (await import('./recovery/hand-over/successor.ts')).receiveHandOver(paths)
    : undefined;
  const claim = inherited?.claim ?? (await claimHome(paths));
  if (!claim && isForeground) throw failure('HOME_TAKEN', { home: paths.home });
  // Another daemon serves this home: whoever launched us will find that one.
  if (!claim) return;
  mkdirSync(paths.logs, { recursive: true, mode: 0o700 });
  const logger = createLogger(paths.log, isForeground ? { also: createJournalStream(process.env) } : {});
  fall(logger);
  const foreground = isForeground ? enterForeground(paths, logger) : undefined;
  if (!foreground) rmSync(paths.supervised, { force: true });
  // What comes while it begins is heard when it serves: whoever ends it means the apps that it adopts, too.
  const asked = new Promise<void>((resolve) => {
    for (const name of ['SIGTERM', 'SIGINT'] as const) process.on(name, () => resolve());
  });
  process.on('SIGHUP', () => {
    if (foreground) reloadAll(daemon, logger);
    // The shell that launched us is gone, and so may be its terminal.
    else logger.info('SIGHUP ignored');
  });

  // As logrotate sends it after it has renamed files.
  process.on('SIGUSR2', async () => {
    try {
      logger.reopen();
      await daemon.handlers.reopenLogs({ targets: [] }, () => {});
    } catch (error) {
      logger.error({ err: error }, 'SIGUSR2');
    }
  });

  const end = once(async () => {
    foreground?.stopping(daemon.registry);
    await daemon.removeAll('kill');
    await daemon.conclude();
    await daemon.farewell();
    await close();
    logger.info('daemon exiting');
    foreground?.release();
    claim.release();
    await dismissGuard();
    // Connections end with the process: so a client that sees its own end knows that the daemon is gone.
    process.exit(0);
  });
  const { formatting, begin, close } = createFormatting(paths, logger);
  const daemon = createDaemon({
    paths,
    logger,
    streams: (spec, slot) => ({ ...logFiles(spec, slot, paths.logs), format: lineFormatOf(spec) }),
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
      // When the reply has been written, which takes no turn of the event loop, and before the next turn of it.
      process.nextTick(() => {
        logger.info(
          { way, to: view.after },
          isForeground ? 'exiting, to be started again by the supervisor' : 'handed over to another daemon',
        );
        daemon.dismiss();
        process.exit(isForeground ? successionCode : 0);
      });
      return view;
    },
    ...(foreground && { given: foreground.given }),
    outlived: { isSuccession: claim.isSuccession },
  });
  if (inherited) {
    await daemon.serve(inherited);
    inherited.accept();
    hasTakenOver = true;
  }
  await recoverAtStart(paths.rotation, realClock);
  begin();
  const hasPredecessor = await daemon.adopt(inherited);
  // Before any command may be there: what it starts is not to be in the way of what was saved.
  const woken = foreground && !hasPredecessor && foreground.wake(daemon);
  if (!inherited) await daemon.serve();
  void asked.then(end); // nothing rejects it, and `end` tells of what fails by itself
  setV8Flags();
  logger.info({ pid: process.pid, version, node: process.version, home: paths.home }, logMessages.ready);
  await woken;
  await foreground?.ready(daemon.registry);
}

/** What the daemon does not understand it does not go on with: the next one finds the apps as they are. */
function fall(logger: Logger): void {
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
  if (!isKnown && error instanceof Error) console.error(withSourceLines(error.stack ?? ''));
  if (hasTakenOver) process.exit(crashCode);
  process.exit(isKnown ? error.exitCode : 1);
});
