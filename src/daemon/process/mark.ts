// The mark in each process's environment, where the next daemon can read it: the home and the slot that it belongs to.
// So a process that started a moment before the daemon died is known although it is not in the state file. Pure.
//
// Anybody can write such text into an environment. So the next daemon believes only marks that are in the spawn log of the
// home (state/spawn-log.ts), where each is written before its process starts. A mark also names the user that the process
// has to run as: another one may have read a mark, but cannot use it.
import { markVariable } from '../../os/own-variables.ts';

export interface Mark {
  /** 32 random hexadecimal digits, which descendants of the process have too (launch/descendants.ts). */
  token: string;
  /** The directory of the nsv home, by device and inode: a copy of a home has the same spawn log. */
  home: string;
  /** Counts the processes of the home; unique for each. */
  sequence: number;
  /** Started to replace a process that still serves, if it proves good. */
  isTrial: boolean;
  id: number;
  slot: number;
  /** Restarts of the slot when the process was started. */
  restarts: number;
  /** The user it was started as. */
  uid: number;
  app: string;
}

/** In place of an app's name in the mark of a broker (channels/brokers.ts). No app can have it. */
export const brokerName = '.broker';

export function renderMark({ token, home, sequence, isTrial, id, slot, restarts, uid, app }: Mark): string {
  return `${token}:${home}:${sequence}:${isTrial ? 'trial' : 'holder'}:${id}:${slot}:${restarts}:${uid}:${app}`;
}

/** Undefined if the text is not a mark. */
export function readMark(text: string): Mark | undefined {
  const match = /^([\da-f]{32}):([\w-]+):(\d+):(trial|holder):(\d+):(\d+):(\d+):(\d+):(.+)$/s.exec(text);
  if (!match) return undefined;
  const [, token = '', home = '', sequence, role, id, slot, restarts, uid, app = ''] = match;
  const numbers = { sequence: Number(sequence), id: Number(id), slot: Number(slot), restarts: Number(restarts) };
  return { token, home, app, isTrial: role === 'trial', uid: Number(uid), ...numbers };
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
