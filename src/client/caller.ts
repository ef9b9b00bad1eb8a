// Who gives the commands of this program: what the daemon's journal will say.
import { readlinkSync } from 'node:fs';
import { userInfo } from 'node:os';
import type { CallerView } from '../ipc/journal/event-views.ts';

/** `env`: that of the shell. `command`: without secrets. */
export function describeCaller(env: Readonly<Record<string, string | undefined>>, command: string): CallerView {
  const known = {
    user: env.SUDO_USER ?? env.LOGNAME ?? env.USER ?? userName(),
    uid: process.geteuid?.(),
    terminal: terminal(),
    host: env.SSH_CONNECTION?.split(' ')[0],
    pid: process.pid,
    command,
  };
  return Object.fromEntries(Object.entries(known).filter(([, value]) => value !== undefined));
}

/** The name of this user; the number of one who is not in /etc/passwd. */
export function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return String(process.geteuid?.());
  }
}

/** That of standard input, or of what is left if it comes from elsewhere. */
function terminal(): string | undefined {
  return [0, 1, 2].map(targetOf).find((target) => target && /^\/dev\/(pts\/\d+|tty\w*|console)$/.test(target));
}

function targetOf(fd: number): string | undefined {
  try {
    return readlinkSync(`/proc/self/fd/${fd}`);
  } catch {
    return undefined;
  }
}
