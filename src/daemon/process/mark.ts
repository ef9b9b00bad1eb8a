// The mark in each process's environment, where the next daemon can read it: the home and the slot that it belongs to.
// So a process that started a moment before the daemon died is known although it is not in the state file. Pure.
import { markVariable } from '../../ipc/worker-messages.ts';

export interface Mark {
  /** The identity of the nsv home. */
  home: string;
  /** Counts the processes of the home; unique for each. */
  sequence: number;
  /** Started to replace a process that still serves, if it proves good. */
  isTrial: boolean;
  id: number;
  slot: number;
  /** Restarts of the slot when the process was started. */
  restarts: number;
  app: string;
}

export function renderMark({ home, sequence, isTrial, id, slot, restarts, app }: Mark): string {
  return [home, sequence, isTrial ? 'trial' : 'holder', id, slot, restarts, app].join(':');
}

/** Undefined if the text is not a mark. */
export function parseMark(text: string): Mark | undefined {
  const match = /^([\w-]+):(\d+):(trial|holder):(\d+):(\d+):(\d+):(.+)$/s.exec(text);
  if (!match) return undefined;
  const [, home = '', sequence, role, id, slot, restarts, app = ''] = match;
  const numbers = { sequence: Number(sequence), id: Number(id), slot: Number(slot), restarts: Number(restarts) };
  return { home, app, isTrial: role === 'trial', ...numbers };
}

/** Finds the mark in an environment read from /proc. `unreadable`: whether there is a mark cannot be told. */
export function markIn(environment: string | undefined): { mark: string } | 'none' | 'unreadable' {
  if (environment === undefined) return 'unreadable';
  const entries = environment.split('\0').filter(Boolean);
  const entry = entries.find((candidate) => candidate.startsWith(`${markVariable}=`));
  if (entry !== undefined) return { mark: entry.slice(markVariable.length + 1) };
  // Some programs write their title over their environment, which leaves no entries, or fragments of text among them.
  const isWhole = entries.length > 0 && entries.every((candidate) => /^[^=]+=/.test(candidate));
  return isWhole ? 'none' : 'unreadable';
}
