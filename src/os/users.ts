// Users and groups by name or number.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

export interface User {
  uid: number;
  /** The user's primary group. */
  gid: number;
  /** True for an account of this machine, which may have supplementary groups. */
  hasAccount: boolean;
}

/**
 * Looks in /etc/passwd first, then asks `id`, which knows all sources (LDAP, macOS). A number needs no account: the
 * kernel accepts any, and container images often name none. Its group has the same number.
 */
export function findUser(word: string): User | undefined {
  const line = accountLine('/etc/passwd', word);
  const [uid, gid] = line ? [line[2], line[3]] : [askId('-u', word), askId('-g', word)];
  if (uid && gid) return { uid: Number(uid), gid: Number(gid), hasAccount: true };
  return /^\d+$/.test(word) ? { uid: Number(word), gid: Number(word), hasAccount: false } : undefined;
}

/** Looks in /etc/group. A number needs no entry, as the kernel accepts any. */
export function findGroup(word: string): number | undefined {
  const gid = accountLine('/etc/group', word)?.[2] ?? word;
  return /^\d+$/.test(gid) ? Number(gid) : undefined;
}

/** The name of a user in /etc/passwd; otherwise the word as given. */
export function nameOfUser(word: string): string {
  return accountLine('/etc/passwd', word)?.[0] ?? word;
}

/** The home directory from /etc/passwd. */
export function directoryOfUser(word: string): string | undefined {
  return accountLine('/etc/passwd', word)?.[5] || undefined;
}

function accountLine(file: string, word: string): string[] | undefined {
  const lines = readFileSync(file, 'utf8').split('\n');
  return lines.map((line) => line.split(':')).find(([name, , number]) => word === name || word === number);
}

function askId(what: '-u' | '-g', word: string): string | undefined {
  try {
    return execFileSync('id', [what, '--', word], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
  } catch {
    return undefined;
  }
}
