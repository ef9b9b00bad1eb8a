// The mark in each process's environment, where the next daemon can read it: the home and the slot that it belongs to.
// So a process that started a moment before the daemon died is known although it is not in the state file. Pure.
//
// Anybody can write such text into an environment. So it begins with a code that only the owner of the home can compute
// (state/mark-key.ts), and names the user that the process has to run as: another one may have read a mark, but cannot
// use it.

import { markVariable } from '../../os/own-variables.ts';
import { isEqualText, type Mac } from '../../shared/crypto/mac.ts';

export interface Mark {
  /** The directory of the nsv home, by device and inode: a copy of a home has the same key. */
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

export function renderMark({ home, sequence, isTrial, id, slot, restarts, uid, app }: Mark, mac: Mac): string {
  const text = `${home}:${sequence}:${isTrial ? 'trial' : 'holder'}:${id}:${slot}:${restarts}:${uid}:${app}`;
  return `${mac(text)}:${text}`;
}

/** Undefined if the text is not a mark that was made with this key. */
export function readMark(text: string, mac: Mac): Mark | undefined {
  const match = /^([\da-f]+):(([\w-]+):(\d+):(trial|holder):(\d+):(\d+):(\d+):(\d+):(.+))$/s.exec(text);
  if (!match) return undefined;
  const [, code = '', signed = '', home = '', sequence, role, id, slot, restarts, uid, app = ''] = match;
  if (!isEqualText(code, mac(signed))) return undefined;
  const numbers = { sequence: Number(sequence), id: Number(id), slot: Number(slot), restarts: Number(restarts) };
  return { home, app, isTrial: role === 'trial', uid: Number(uid), ...numbers };
}

/** The number of a process in the state file, which needs no check; -1 if the text is not a mark. */
export function sequenceIn(text: string): number {
  return Number(/^(?:[\w-]+:){1,2}(\d+):(?:trial|holder):/.exec(text)?.[1] ?? -1);
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
