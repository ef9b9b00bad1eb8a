// The user `nobody`, where tests may run programs as that user.
import { join } from 'node:path';
import { root } from './nsv.ts';
import { finish } from './program.ts';

/** The reason to skip, printed; undefined where a program may run as nobody and can read this package. */
export async function whyNoOtherUser(): Promise<string | undefined> {
  const reason = await findReason();
  if (reason) console.warn(`skipped: ${reason}`);
  return reason;
}

async function findReason(): Promise<string | undefined> {
  if (process.getuid?.() !== 0) return 'only root can run an app as another user';
  const preload = join(root, 'dist', 'worker', 'preload.js');
  const { code, error } = await finish('setpriv', ['--reuid', 'nobody', '--clear-groups', 'test', '-r', preload]);
  if (error) return `setpriv: ${error.message}`;
  return code === 0 ? undefined : `the user nobody cannot read ${preload}`;
}
