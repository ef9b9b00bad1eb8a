// The user `nobody`, where tests may run programs as that user.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { root } from './nsv.ts';

/** The reason to skip, printed; undefined where a program may run as nobody and can read this package. */
export function whyNoOtherUser(): string | undefined {
  const reason = findReason();
  if (reason) console.warn(`skipped: ${reason}`);
  return reason;
}

function findReason(): string | undefined {
  if (process.getuid?.() !== 0) return 'only root can run an app as another user';
  const preload = join(root, 'dist', 'worker', 'preload.js');
  const { status, error } = spawnSync('setpriv', ['--reuid', 'nobody', '--clear-groups', 'test', '-r', preload]);
  if (error) return `setpriv: ${error.message}`;
  return status === 0 ? undefined : `the user nobody cannot read ${preload}`;
}
