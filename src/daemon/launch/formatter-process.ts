// Starts the formatter, in a session of its own: it outlives the daemon.
import { spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { detailOf } from '../../shared/errors.ts';
import { type HomePaths, installed } from '../../shared/paths.ts';
import { linesSince } from '../output/tail.ts';

/** What it printed tells why it failed. */
const shownLines = 10;

/** `failed` is told when it could not be started, or ended badly. */
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
