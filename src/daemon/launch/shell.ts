// Runs a shell command of the user.
import { spawn } from 'node:child_process';

/**
 * Runs `command` with /bin/sh in its own session. Calls `failed` if it cannot be started or exits with an error.
 * Resolves when it is over, in either case.
 */
export function runShell(
  { command, cwd, env }: { command: string; cwd: string; env: Record<string, string> },
  failed: (detail: string) => void,
): Promise<void> {
  const child = spawn('/bin/sh', ['-c', command], { cwd, env, stdio: 'ignore', detached: true });
  return new Promise((resolve) => {
    child.on('error', (error) => {
      failed(error.message);
      resolve();
    });
    child.on('exit', (code, signal) => {
      if (code !== 0) failed(signal ? `signal ${signal}` : `exit code ${code}`);
      resolve();
    });
  });
}
