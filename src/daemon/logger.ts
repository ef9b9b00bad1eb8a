// The daemon's own log: pino JSON lines in a file of limited size.
import { closeSync, fstatSync, openSync, renameSync, writeSync } from 'node:fs';
import { type Logger, pino } from 'pino';
import type { DaemonEvent } from './events.ts';

/** Bytes after which the log is renamed to `daemon.log.1` and begun anew: at most twice this much is kept. */
const sizeLimit = 5 * 1024 * 1024;

export function createLogger(file: string, limit = sizeLimit): Logger {
  return pino({ base: null }, cappedFile(file, limit));
}

/** Writes at once, so that the last line before a crash is there; a full disk costs lines, never the daemon. */
function cappedFile(file: string, limit: number): { write(line: string): void } {
  const open = () => openSync(file, 'a', 0o600);
  let fd = open();
  let size = fstatSync(fd).size;
  return {
    write(line) {
      try {
        if (size > limit) {
          closeSync(fd);
          renameSync(file, `${file}.1`);
          fd = open();
          size = 0;
        }
        size += writeSync(fd, line);
      } catch {
        // Nowhere to tell it: the log itself is what failed.
      }
    },
  };
}

/** One line for each event; giving up is the loudest. */
export function logEvent(logger: Logger, event: DaemonEvent): void {
  const { type, ...facts } = event;
  if (event.type === 'giveup') {
    const { spec: _spec, ...shown } = event;
    logger.fatal(shown, `gave up on ${event.app}: ${event.reason}`);
  } else if (type === 'late' || type === 'unspawnable' || type === 'cut short') {
    logger.warn(facts, type);
  } else {
    logger.info(facts, type);
  }
}
