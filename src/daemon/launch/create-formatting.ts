// Formatted output in the home of a daemon: FIFOs, the line to the formatter, and what is told of it.
import { readdirSync } from 'node:fs';
import { realClock as clock } from '../../shared/clock.ts';
import type { HomePaths } from '../../shared/paths.ts';
import { throwUncaught } from '../../shared/throw-uncaught.ts';
import type { Logger } from '../logger.ts';
import { FormatterLine } from '../output/formatter-line.ts';
import { Formatting } from '../output/formatting.ts';
import { FifoStock } from './fifo-pool.ts';
import { spawnFormatter } from './formatter-process.ts';

/** Milliseconds for the formatter to end with the daemon. */
const farewell = 1_000;

export interface HomeFormatting {
  formatting: Formatting;
  /** Connects to the formatter where the home has FIFOs of apps that another daemon started. */
  begin(): void;
  /** Resolves when the formatter is gone, unless it goes on for what a daemon before us has left. */
  close(): Promise<void>;
}

/** Starts nothing before `begin`, or before the first app wants it. */
export function createFormatting(paths: HomePaths, logger: Logger): HomeFormatting {
  const fifos = new FifoStock(paths.fifos);
  const line = new FormatterLine({
    file: paths.formatter,
    clock,
    spawn: () => spawnFormatter(paths, (detail) => logger.error({ detail }, 'the formatter has ended')),
    news: ({ is, ...facts }) =>
      is === 'failed'
        ? logger.error(facts, 'a log cannot be written: what is for it is lost')
        : logger.warn(facts, 'a log can be written again'),
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
