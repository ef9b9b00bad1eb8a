// Sets up formatted output for a home: FIFOs, the connection to the formatter, and the log of its problems.
import { readdirSync } from 'node:fs';
import { realClock as clock } from '../../../shared/clock.ts';
import type { HomePaths } from '../../../shared/paths.ts';
import { throwUncaught } from '../../../shared/throw-uncaught.ts';
import type { Logger } from '../../logger.ts';
import { FormatterLine } from '../../output/formatter-line.ts';
import { Formatting } from '../../output/formatting.ts';
import { tellLog } from '../log-targets.ts';
import { FifoStock } from './fifo-pool.ts';
import { spawnFormatter } from './formatter-process.ts';

/** Milliseconds for the formatter to exit with the daemon. */
const farewell = 1_000;

export interface HomeFormatting {
  formatting: Formatting;
  /** Connects to the formatter if the home has FIFOs of apps that a previous daemon started. */
  begin(): void;
  /** Resolves when the formatter is gone, or stays only for apps that a previous daemon left. */
  close(): Promise<void>;
}

/** Starts nothing until `begin`, or until the first app needs it. */
export function createFormatting(paths: HomePaths, logger: Logger): HomeFormatting {
  const news = tellLog(logger);
  const fifos = new FifoStock(paths.fifos);
  const line = new FormatterLine({
    file: paths.formatter,
    clock,
    spawn: () => spawnFormatter(paths, (detail) => logger.error({ detail }, 'the formatter exited')),
    news: (message) =>
      message.is === 'failed' ? news.failed(message.file, message.detail) : news.recovered(message.file, message.lost),
  });
  return {
    formatting: new Formatting(fifos, line),
    begin() {
      if (hasSources(paths.fifos)) line.connect().catch(throwUncaught);
    },
    async close() {
      fifos.clear();
      await line.close(farewell);
    },
  };
}

function hasSources(folder: string): boolean {
  try {
    return readdirSync(folder).some((name) => name.endsWith('.json'));
  } catch {
    return false;
  }
}
