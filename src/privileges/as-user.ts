// Runs short shell commands with the rights of another user, so that links which that user has set lead nowhere else.

import type { AppSpec } from '../config/app-spec.ts';
import { spawnChild } from '../os/spawn-child.ts';
import { realClock } from '../shared/clock.ts';
import { detailOf } from '../shared/errors.ts';
import { withPrivileges } from './privileges.ts';

/** A user and a group, as in the settings of an app. */
export type Owner = Pick<AppSpec, 'uid' | 'gid'>;

/** Milliseconds: a file system of the user's may never answer. */
const patience = 10_000;
const mostText = 4096;

/**
 * Runs a line of `sh` with these arguments ($1, $2 ...) in /. Rejects with the last line of its messages if it fails, or
 * takes more than ten seconds.
 */
export function shellAs(owner: Owner, line: string, args: readonly string[]): Promise<void> {
  return new Promise((resolve, reject) => {
    const { command, ids } = withPrivileges(['/bin/sh', '-c', line, 'sh', ...args], owner);
    const [file, ...words] = command;
    const env = { PATH: '/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin' };
    const child = spawnChild(file, words, {
      ...ids,
      cwd: '/',
      env,
      detached: true,
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    let text = '';
    child.stderr.setEncoding('utf8').on('data', (part: string) => {
      text = (text + part).slice(-mostText);
    });
    const cancel = realClock.after(patience, () => {
      child.kill('SIGKILL');
      child.stderr.destroy();
      // Not at its exit: a hanging file system keeps even a killed process.
      reject(new Error('it takes too long'));
    });
    child.on('error', (error) => {
      cancel();
      reject(new Error(detailOf(error)));
    });
    child.on('close', (code, signal) => {
      cancel();
      if (code === 0) resolve();
      else reject(new Error(text.trim().split('\n').at(-1) || signal || `exit code ${code}`));
    });
  });
}
