// The detached daemon: its home, its log, its end.
import { mkdirSync } from 'node:fs';
import { lineFormatOf } from '../config/line-format.ts';
import { realClock } from '../shared/clock.ts';
import { detailOf } from '../shared/errors.ts';
import { homePaths } from '../shared/paths.ts';
import { version } from '../shared/version.ts';
import { createDaemon, survive } from './daemon.ts';
import { createLogger } from './logger.ts';
import * as operations from './operations.ts';
import { createFormatting } from './output/create-formatting.ts';
import { logFiles } from './output/files.ts';
import { recoverAtStart } from './rotation/recovery.ts';
import { claimHome } from './singleton.ts';

const paths = homePaths();

async function main(): Promise<void> {
  const claim = await claimHome(paths);
  // Another daemon serves this home: whoever launched us will find that one.
  if (!claim) return;
  mkdirSync(paths.logs, { recursive: true, mode: 0o700 });
  const logger = createLogger(paths.log);
  survive(logger);
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
    await close();
    logger.info('the daemon ends');
    claim.release();
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
  });
  await daemon.serve();
  for (const name of ['SIGTERM', 'SIGINT'] as const) process.on(name, end);
  logger.info({ pid: process.pid, version, node: process.version, home: paths.home }, 'the daemon serves');
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
