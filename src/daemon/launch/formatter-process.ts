// Starts the formatter, in a session of its own: it outlives the daemon.
import { spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { type HomePaths, installed } from '../../shared/paths.ts';
import { linesSince } from '../output/tail.ts';

/** What it printed tells why it failed. */
const shownLines = 10;

/** `failed` is told when it could not be started, or ended badly. Throws when its log cannot be opened. */
export function spawnFormatter({ home, formatterLog }: HomePaths, failed: (detail: string) => void): void {
  const log = openSync(formatterLog, 'w', 0o600);
  try {
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
  } finally {
    closeSync(log);
  }
}
