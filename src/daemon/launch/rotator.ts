// Starts the program that rotates log files.
import { spawn } from 'node:child_process';
import type { RotationJob, RotationReport } from '../../ipc/rotator-messages.ts';

export interface RotatorProcess {
  send(job: RotationJob): void;
  /** Now, by SIGKILL. */
  kill(): void;
}

export interface RotatorEvents {
  report(report: RotationReport): void;
  /** It could not be started, or has ended. Called once. */
  ended(): void;
}

/** In a session of its own: under load the kernel gives it a share beside the apps', which it has stopped. */
export function launchRotator(program: string, record: string, { report, ended }: RotatorEvents): RotatorProcess {
  const child = spawn(process.execPath, [program, record], {
    cwd: '/',
    env: {},
    detached: true,
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  let hasEnded = false;
  const end = () => {
    if (!hasEnded) ended();
    hasEnded = true;
  };
  child.on('error', () => {
    if (child.pid === undefined) end();
  });
  child.on('exit', end);
  child.on('message', (message) => report(message as RotationReport));
  return {
    // One that goes while this is sent is told by its end.
    send: (job) => void (child.connected && child.send(job, () => {})),
    kill: () => void child.kill('SIGKILL'),
  };
}
