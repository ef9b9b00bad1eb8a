// A shell command that nobody waits for.
import { spawn } from 'node:child_process';

/** Runs `command` by /bin/sh in a session of its own; `failed` is told when it cannot be started or ends badly. */
export function runShell(
  { command, cwd, env }: { command: string; cwd: string; env: Record<string, string> },
  failed: (detail: string) => void,
): void {
  const child = spawn('/bin/sh', ['-c', command], { cwd, env, stdio: 'ignore', detached: true });
  child.on('error', (error) => failed(error.message));
  child.on('exit', (code, signal) => {
    if (code !== 0) failed(signal ? `signal ${signal}` : `exit code ${code}`);
  });
}
