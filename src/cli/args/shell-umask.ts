// The umask of the shell, which its apps get.
import type { AppSettings } from '../../config/app-spec.ts';

/** Adds the umask of this process, unless the user has named one. */
export function ofShell<T extends Pick<AppSettings, 'umask'>>(settings: T): T {
  return { umask: process.umask().toString(8).padStart(3, '0'), ...settings };
}
