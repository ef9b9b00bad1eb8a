// What each process carries in its environment, where the next daemon can read it: whose it is, and what for. So a process
// that was started a moment before the daemon died is known although nobody has written it down. Pure.
import { markVariable } from '../../ipc/worker-messages.ts';

export interface Mark {
  /** The identity of the nsv home. */
  home: string;
  /** Counts the processes of the home: no two have the same. */
  sequence: number;
  /** It was started to take the place of one that still serves, if it proves good. */
  isTrial: boolean;
  id: number;
  slot: number;
  /** Restarts of the slot up to then. */
  restarts: number;
  app: string;
}

export function renderMark({ home, sequence, isTrial, id, slot, restarts, app }: Mark): string {
  return [home, sequence, isTrial ? 'trial' : 'holder', id, slot, restarts, app].join(':');
}

/** Undefined for what is no mark. */
export function parseMark(text: string): Mark | undefined {
  const match = /^([\w-]+):(\d+):(trial|holder):(\d+):(\d+):(\d+):(.+)$/s.exec(text);
  if (!match) return undefined;
  const [, home = '', sequence, role, id, slot, restarts, app = ''] = match;
  const numbers = { sequence: Number(sequence), id: Number(id), slot: Number(slot), restarts: Number(restarts) };
  return { home, app, isTrial: role === 'trial', ...numbers };
}

/** What the environment of a process (as /proc tells it) says: a mark, `none`, or `unreadable` where nobody can tell. */
export function markIn(environment: string | undefined): { mark: string } | 'none' | 'unreadable' {
  if (environment === undefined) return 'unreadable';
  const entries = environment.split('\0').filter(Boolean);
  const entry = entries.find((candidate) => candidate.startsWith(`${markVariable}=`));
  if (entry !== undefined) return { mark: entry.slice(markVariable.length + 1) };
  // Some programs write their title over their environment: then there are no entries, or bits of text among them.
  const isWhole = entries.length > 0 && entries.every((candidate) => /^[^=]+=/.test(candidate));
  return isWhole ? 'none' : 'unreadable';
}
