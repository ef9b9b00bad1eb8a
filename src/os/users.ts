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
  const [uid, gid] = line ? [line[2], line[3]] : [ask('id', '-u', '--', word), ask('id', '-g', '--', word)];
  if (uid && gid) return { uid: Number(uid), gid: Number(gid), hasAccount: true };
  return /^\d+$/.test(word) ? { uid: Number(word), gid: Number(word), hasAccount: false } : undefined;
}

/** Looks in /etc/group. A number needs no entry, as the kernel accepts any. */
export function findGroup(word: string): number | undefined {
  const gid = accountLine('/etc/group', word)?.[2] ?? word;
  return /^\d+$/.test(gid) ? Number(gid) : undefined;
}

/** The supplementary groups of an account, without its primary group, from all sources (`id`). */
export function groupsOf(word: string): number[] {
  const [, ...others] = ask('id', '-G', '--', accountOf(word)?.name ?? word)?.split(' ') ?? [];
  return others.map(Number);
}

/** The name of a user in /etc/passwd; otherwise the word as given. */
export function nameOfUser(word: string): string {
  return accountLine('/etc/passwd', word)?.[0] ?? word;
}

/** An account as login programs see it. */
export interface Account {
  name: string;
  home: string;
  shell: string;
}

const accounts = new Map<string, Account | undefined>();

/** Looks in /etc/passwd first, then asks `getent` once, which knows all sources. Undefined if there is no account. */
export function accountOf(word: string): Account | undefined {
  const line = accountLine('/etc/passwd', word);
  if (line) return accountFrom(line);
  if (!accounts.has(word)) accounts.set(word, accountFrom(ask('getent', 'passwd', '--', word)?.split(':') ?? []));
  return accounts.get(word);
}

/** Empty fields have the meaning that login(1) gives them. */
function accountFrom([name, , , , , home, shell]: readonly string[]): Account | undefined {
  return name ? { name, home: home || '/', shell: shell || '/bin/sh' } : undefined;
}

/** The home directory from /etc/passwd. */
export function directoryOfUser(word: string): string | undefined {
  return accountLine('/etc/passwd', word)?.[5] || undefined;
}

function accountLine(file: string, word: string): string[] | undefined {
  const lines = readFileSync(file, 'utf8').split('\n');
  return lines.map((line) => line.split(':')).find(([name, , number]) => word === name || word === number);
}

function ask(program: string, ...words: string[]): string | undefined {
  try {
    return execFileSync(program, words, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
  } catch {
    return undefined;
  }
}
