// The daemon's logger: pino JSON lines, in a file of limited size or passed to a function.
import { closeSync, fstatSync, openSync, renameSync, writeSync } from 'node:fs';
import { type Logger as FullLogger, pino } from 'pino';
import { logLevels } from '../config/options/run-fields.ts';
import { warningKey } from '../shared/daemon-log.ts';
import { detailOf } from '../shared/errors.ts';
import { renderDuration } from '../shared/units.ts';
import type { DaemonEvent, EventBus, Kept } from './events.ts';

export type Logger = Pick<FullLogger, (typeof logLevels)[number]>;

/** Bytes after which the log is renamed to `daemon.log.1` and begun anew: at most twice this much is kept. */
const sizeLimit = 5 * 1024 * 1024;

/** A log in a file; `reopen` starts a new file after the old one was renamed or deleted. `also` receives each line as well. */
export function createLogger(
  file: string,
  { limit = sizeLimit, also }: { limit?: number; also?(line: string): void } = {},
): Logger & { reopen(): void } {
  const { write, reopen } = cappedFile(file, limit);
  const toBoth = (line: string) => {
    write(line);
    also?.(line);
  };
  return Object.assign(pino({ base: null }, { write: toBoth }), { reopen });
}

/** A log without a file. `write` receives whole lines. Pino is loaded for the first one: `nsv run` rarely has any. */
export function createMessages(write: (line: string) => void, level: keyof Logger): Logger {
  let logger: Logger | undefined;
  const methods = logLevels.map((name, at) => {
    const log = (...record: [object, string]) => {
      logger ??= pino({ base: null, level }, { write });
      logger[name](...record);
    };
    return [name, at < logLevels.indexOf(level) ? () => {} : log];
  });
  return Object.fromEntries(methods);
}

/** Writes synchronously, so that the last line before a crash is kept; a full disk loses lines, never the daemon. */
function cappedFile(file: string, limit: number): { write(line: string): void; reopen(): void } {
  const open = () => openSync(file, 'a', 0o600);
  let fd = open();
  let size = fstatSync(fd).size;
  /** Opens before it closes: if it failed to open, the closed number would soon belong to another file or a client. */
  function reopen(): void {
    const next = open();
    closeSync(fd);
    fd = next;
    size = fstatSync(fd).size;
  }
  return {
    reopen,
    write(line) {
      try {
        if (size > limit) {
          renameSync(file, `${file}.1`);
          reopen();
        }
        size += writeSync(fd, line);
      } catch {
        // There is nowhere to report it: the log itself failed.
      }
    },
  };
}

const warnings: readonly DaemonEvent['type'][] = [
  ...([
    'ready-timeout',
    'not-ready',
    'not-alive',
    'replace',
    'blocked',
    'spawn-failed',
    'kill-timeout',
    'requests-cut',
    'channel-closed',
    'problem',
    'reload-failed',
  ] as const),
  ...(['not-exiting', 'held', 'leak'] as const),
];

const unlogged: readonly DaemonEvent['type'][] = ['command', 'command-failed', 'daemon', 'warning'];

/** Logs one line: a giveup as fatal, other problems and unrequested failures as warnings. */
export function logEvent(logger: Logger, { event, at, repeats }: Kept): void {
  // They are in the journal, or logged where they occur.
  if (unlogged.includes(event.type)) return;
  const { type, ...rest } = event;
  const facts = { ...rest, ...(repeats && { at, ...(repeats.count > 1 && repeats) }) };
  if (event.type === 'giveup') {
    logger.fatal({ ...facts, spec: undefined }, `gave up on ${event.app}: ${event.reason}`);
  } else if (event.type === 'exit') {
    const cause = event.death && { cause: event.death.cause };
    logger[isFailure(event) ? 'warn' : 'info']({ ...facts, death: undefined, ...cause }, type);
  } else if (event.type === 'not-replaced') {
    logger.warn({ ...facts, delay: undefined }, `${type}: next attempt in ${renderDuration(event.delay)}`);
  } else if (warnings.includes(type) || (event.type === 'dependency' && !event.ready)) {
    logger.warn(facts, type);
  } else {
    logger.info(facts, type);
  }
}

/** The same logger, whose warnings and errors are events, too: nobody reads a log before something is wrong. */
export function told(logger: Logger, events: Pick<EventBus, 'emit'>): Logger {
  const telling = (level: 'warn' | 'error') => (given: object | string, text?: string) => {
    const [facts, what] = typeof given === 'string' ? [{}, given] : [given as Record<string, unknown>, text];
    const { app, detail, err, ...others } = facts as Record<string, unknown>;
    const more = Object.entries(others).map(([key, value]) => `${key} ${String(value)}`);
    const cause = detail ?? (err === undefined ? [] : detailOf(err));
    logger[level]({ ...facts, [warningKey]: true }, what);
    const whole = [what, ...more, cause].flat().join(': ');
    events.emit({ type: 'warning', ...(typeof app === 'string' && { app }), detail: whole });
  };
  return Object.assign(Object.create(logger), { warn: telling('warn'), error: telling('error') });
}

function isFailure({ asked, exit, death }: Extract<DaemonEvent, { type: 'exit' }>): boolean {
  return !asked && (exit.code !== 0 || death?.cause === 'listen failed');
}
