// Starts the formatter in its own session, because it outlives the daemon.
import { spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { detailOf } from '../../../shared/errors.ts';
import { type HomePaths, installed } from '../../../shared/paths.ts';
import { linesSince } from '../../output/tail.ts';

/** Lines of its output to show if it fails. */
const shownLines = 10;

/** Calls `failed` if the formatter cannot be started or exits with an error. */
export function spawnFormatter({ home, formatterLog }: HomePaths, failed: (detail: string) => void): void {
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
