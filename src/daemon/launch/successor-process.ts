// Starts the daemon that is to take the place of this one.
import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import type { HomePaths } from '../../shared/paths.ts';

export type SuccessorProcess = ChildProcess;

export interface Program {
  /** The program and its arguments: the guard, if there is one, then Node with its flags and the daemon's file. */
  command: [string, ...string[]];
  env: Record<string, string>;
}

/** In a session of its own, with a channel to it, and with what it prints in `daemon-start.log`. Throws the system's error. */
export function spawnSuccessor({ home, launchLog }: HomePaths, { command, env }: Program): SuccessorProcess {
  const log = openSync(launchLog, 'w', 0o600);
  try {
    const [program, ...words] = command;
    return spawn(program, words, {
      detached: true,
      cwd: '/',
      // Tells the guard that a daemon is there already.
      env: { ...env, NSV_HOME: home, NSV_HEIR: '1' },
      stdio: ['ignore', log, log, 'ipc'],
    });
  } finally {
    closeSync(log);
  }
}
