// A shell command of the user's.
import { spawn } from 'node:child_process';

/**
 * Runs `command` by /bin/sh in a session of its own; `failed` is told when it cannot be started or ends badly. Resolves
 * when it is over, either way.
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
