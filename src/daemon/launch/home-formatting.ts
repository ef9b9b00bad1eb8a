// Sets up formatted output for a home: FIFOs, the connection to the formatter, and the log of its problems.
import { spawn, spawnSync } from 'node:child_process';
import { closeSync, mkdirSync, openSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { realClock as clock } from '../../shared/clock.ts';
import { errnoOf } from '../../shared/errno.ts';
import { detailOf, failure } from '../../shared/errors.ts';
import { type HomePaths, installed } from '../../shared/paths.ts';
import { throwUncaught } from '../../shared/throw-uncaught.ts';
import { linesSince } from '../output/error-output.ts';
import { FormatterLine } from '../output/formatter-line.ts';
import { Formatting } from '../output/formatting.ts';

/** Milliseconds for the formatter to exit with the daemon. */
const closeTimeout = 1_000;

export interface FormattingNews {
  /** Why a log cannot be written; null once it can. */
  report(problem: string | null, file: string): void;
  /** A log can be written again, and has lost so many lines. */
  recovered(file: string, lost: number): void;
  /** The formatter has died; another one takes its place. */
  exited(detail: string): void;
}

/** Starts nothing until `begin`, or until the first app needs it. */
export function createFormatting(paths: HomePaths, { report, recovered, exited }: FormattingNews) {
  const fifos = new FifoStock(paths.fifos);
  const line = new FormatterLine({
    file: paths.formatter,
    clock,
    spawn: () => spawnFormatter(paths, exited),
    news(message) {
      const isFailed = message.is === 'failed';
      report(isFailed ? `cannot be written, so its lines are lost: ${message.detail}` : null, message.file);
      if (!isFailed && message.lost > 0) recovered(message.file, message.lost);
    },
  });
  return {
    formatting: new Formatting(fifos, line),
    /** Connects to the formatter if the home has FIFOs of apps that a previous daemon started. */
    begin() {
      if (hasSources(paths.fifos)) line.connect().catch(throwUncaught);
    },
    /** Resolves when the formatter is gone, or stays only for apps that a previous daemon left. */
    async close() {
      fifos.clear();
      await line.close(closeTimeout);
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

/** Number of FIFOs to create at a time. */
const batch = 64;
const spare = 'spare-';

/** A pool of FIFOs. Node has no mkfifo(3), and running mkfifo(1) for each process would double the cost of a restart. */
class FifoStock {
  readonly #folder: string;
  #spares: string[] = [];
  #isReady = false;

  /** `folder` is created with the first FIFO. */
  constructor(folder: string) {
    this.#folder = folder;
  }

  /** Returns a new FIFO of that name, which no process has open. Throws CANNOT_OPEN_LOG if it cannot be created. */
  take(name: string): string {
    const file = join(this.#folder, name);
    if (this.#spares.length === 0) this.#refill();
    try {
      renameSync(this.#spares.pop()!, file);
    } catch (error) {
      if (errnoOf(error) !== 'ENOENT') throw error;
      // Somebody has removed the folder, or what was in it.
      this.#isReady = false;
      this.#refill();
      renameSync(this.#spares.pop()!, file);
    }
    return file;
  }

  /** Removes unused FIFOs. */
  clear(): void {
    for (const file of this.#spares.splice(0)) rmSync(file, { force: true });
  }

  #refill(): void {
    if (!this.#isReady) this.#prepare();
    const files = Array.from({ length: batch }, (_, index) => join(this.#folder, `${spare}${index}`));
    const { status, stderr, error } = spawnSync('mkfifo', ['-m', '600', '--', ...files], { encoding: 'utf8' });
    if (status === 0) this.#spares = files;
    else throw failure('CANNOT_OPEN_LOG', { file: files[0]!, detail: error?.message ?? stderr.trim() });
  }

  /** Removes unused FIFOs of a daemon that was killed. */
  #prepare(): void {
    mkdirSync(this.#folder, { recursive: true, mode: 0o700 });
    for (const name of readdirSync(this.#folder)) if (name.startsWith(spare)) rmSync(join(this.#folder, name));
    this.#isReady = true;
  }
}

/** Lines of its output to show if it fails. */
const shownLines = 10;

/** In its own session, because it outlives the daemon. Calls `failed` if the formatter cannot be started or exits with an error. */
function spawnFormatter({ home, formatterLog }: HomePaths, failed: (detail: string) => void): void {
  let log: number | undefined;
  try {
    log = openSync(formatterLog, 'w', 0o600);
    const env = { ...process.env, NSV_HOME: home };
    const child = spawn(process.execPath, [installed.formatter], {
      detached: true,
      cwd: '/',
      env,
      stdio: ['ignore', log, log],
    });
    child.unref();
    child.on('error', (error) => failed(error.message));
    child.on('exit', (code, signal) => {
      if (code !== 0) failed([signal ?? `exit code ${code}`, ...linesSince(formatterLog, 0, shownLines)].join('\n'));
    });
  } catch (error) {
    failed(detailOf(error));
  } finally {
    if (log !== undefined) closeSync(log);
  }
}
