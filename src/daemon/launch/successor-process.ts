// Starts the daemon that takes over from this one.
import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import type { HomePaths } from '../../shared/paths.ts';

export type SuccessorProcess = ChildProcess;

export interface Program {
  /** The program and its arguments: the guard, if any, then Node with its flags and the daemon's file. */
  command: [string, ...string[]];
  env: Record<string, string>;
}

/** Uses a session of its own, an IPC channel, and `daemon-start.log` for its output. Throws the system's error. */
export function spawnSuccessor({ home, launchLog }: HomePaths, { command, env }: Program): SuccessorProcess {
  const log = openSync(launchLog, 'w', 0o600);
  try {
    const [program, ...words] = command;
    return spawn(program, words, {
      detached: true,
      cwd: '/',
      // Tells the guard that another daemon is still running.
      env: { ...env, NSV_HOME: home, NSV_HEIR: '1' },
      stdio: ['ignore', log, log, 'ipc'],
    });
  } finally {
    closeSync(log);
  }
}
