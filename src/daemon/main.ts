// The detached daemon: its home, its log, its end.
import { mkdirSync } from 'node:fs';
import { lineFormatOf } from '../config/line-format.ts';
import { realClock } from '../shared/clock.ts';
import { detailOf } from '../shared/errors.ts';
import { homePaths } from '../shared/paths.ts';
import { version } from '../shared/version.ts';
import { createDaemon } from './daemon.ts';
import { createLogger, type Logger } from './logger.ts';
import * as operations from './operations.ts';
import { createFormatting } from './output/create-formatting.ts';
import { logFiles } from './output/files.ts';
import { recoverAtStart } from './rotation/recovery.ts';
import { claimHome } from './singleton.ts';
import { dieAt, dismissGuard } from './terminate.ts';

const paths = homePaths();

/** EX_SOFTWARE of sysexits.h. From 64 on the guard starts the daemon again (bin/guard.sh). */
const crashCode = 70;

async function main(): Promise<void> {
  const claim = await claimHome(paths);
  // Another daemon serves this home: whoever launched us will find that one.
  if (!claim) return;
  mkdirSync(paths.logs, { recursive: true, mode: 0o700 });
  const logger = createLogger(paths.log);
  fall(logger);
  // The shell that launched us is gone, and so may be its terminal.
  process.on('SIGHUP', () => logger.info('SIGHUP ignored'));

  // As logrotate sends it after it has renamed files.
  process.on('SIGUSR2', async () => {
    logger.reopen();
    try {
      await daemon.handlers.reopenLogs({ targets: [] }, () => {});
    } catch (error) {
      logger.error({ err: error }, 'SIGUSR2');
    }
  });

  const end = once(async () => {
    await Promise.all(daemon.registry.groups.map((group) => operations.remove(group, 'kill')));
    await daemon.conclude();
    await close();
    logger.info('the daemon ends');
    claim.release();
    await dismissGuard();
    // Connections end with the process: so a client that sees its own end knows that the daemon is gone.
    process.exit(0);
  });
  await recoverAtStart(paths.rotation, realClock);
  const { formatting, close } = createFormatting(paths, logger);
  const daemon = createDaemon({
    paths,
    logger,
    streams: (spec, slot) => ({ ...logFiles(spec, slot, paths.logs), format: lineFormatOf(spec) }),
    formatting,
    end,
    outlived: { isSuccession: claim.isSuccession, at: (step) => dieAt(step, process.env.NSV_DIE_AT) },
  });
  await daemon.adopt();
  await daemon.serve();
  for (const name of ['SIGTERM', 'SIGINT'] as const) process.on(name, end);
  logger.info({ pid: process.pid, version, node: process.version, home: paths.home }, 'the daemon serves');
}

/** What the daemon does not understand it does not go on with: the next one finds the apps as they are. */
function fall(logger: Logger): void {
  const end = (error: unknown, what: string) => {
    logger.fatal({ err: error }, `${what}: the daemon ends, and the apps go on`);
    process.exit(crashCode);
  };
  process.on('uncaughtException', (error) => end(error, 'uncaught exception'));
  process.on('unhandledRejection', (error) => end(error, 'unhandled rejection'));
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
