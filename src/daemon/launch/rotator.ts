// Starts the log rotator.
import { spawn } from 'node:child_process';
import type { RotationJob, RotationReport } from '../../ipc/rotator-messages.ts';

export interface RotatorProcess {
  send(job: RotationJob): void;
  /** Kills the rotator with SIGKILL. */
  kill(): void;
  /** Whether somebody has stopped it with a signal or a debugger. Absent if nobody else can. */
  isStopped?(): boolean;
}

export interface RotatorEvents {
  report(report: RotationReport): void;
  /** The rotator could not be started, or has exited. Called once. */
  ended(): void;
}

/** Uses its own session, so that under load the kernel gives it CPU time beside the apps it pauses. */
export function launchRotator(program: string, record: string, { report, ended }: RotatorEvents): RotatorProcess {
  const child = spawn(process.execPath, [program, record], {
    cwd: '/',
    env: {},
    detached: true,
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  child.on('error', () => {
    if (child.pid === undefined) ended();
  });
  child.on('exit', ended);
  child.on('message', (message) => report(message as RotationReport));
  return {
    // If the rotator exits meanwhile, `ended` reports it.
    send: (job) => void (child.connected && child.send(job, () => {})),
    kill: () => void child.kill('SIGKILL'),
  };
}
