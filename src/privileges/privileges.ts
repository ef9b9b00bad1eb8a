// Runs programs as other users and groups.
import { realpathSync } from 'node:fs';
import { basename } from 'node:path';
import type { AppSpec } from '../config/app-spec.ts';
import { findSystemProgram } from '../os/programs.ts';
import { spawnChild } from '../os/spawn-child.ts';
import { isForeign, isTrustedPath } from '../os/trust/trusted-path.ts';
import { findUser, groupsOf, type User } from '../os/users.ts';
import { realClock } from '../shared/clock.ts';
import { detailOf, failure } from '../shared/errors.ts';
import { carrying, fixedEnvironment } from './carried-environment.ts';

export type Words = readonly [program: string, ...args: string[]];

export interface Privileged {
  command: Words;
  /** To pass to `spawn`, which must not get any other environment: root runs programs with this one. */
  identity: { env: Record<string, string>; uid?: number; gid?: number };
}

/** As whom a program runs. */
export type RunAs = Pick<AppSpec, 'uid' | 'gid'> & Partial<Pick<AppSpec, 'groups'>>;

interface Identity {
  uid: string | undefined;
  gid: string | undefined;
  account: User | undefined;
}

/**
 * Uses setpriv (util-linux), which sets the user's supplementary groups. Node drops them all, so its own options are
 * used only on machines without setpriv. A group without a user means that group only, and so does a user without an
 * account; a user without a group means the user's primary group. `groups` come on top of these, as with systemd's
 * SupplementaryGroups=. The program gets `env`, and what runs as root before it nothing of that.
 */
export function withPrivileges(command: Words, owner: RunAs, env: Record<string, string>): Privileged {
  const { uid, groups: added = [] } = owner;
  const account = uid === undefined ? undefined : findUser(uid);
  const gid = owner.gid ?? (account && String(account.gid));
  if (uid === undefined && gid === undefined && added.length === 0) return { command, identity: { env } };
  const setpriv = findSetpriv();
  if (!setpriv && added.length > 0) {
    const detail = `--groups ${added.join(',')} needs setpriv (util-linux), which is missing`;
    throw failure('CANNOT_SPAWN', { program: command[0], detail });
  }
  // Node changes the user before it executes the program, and so before anything obeys the environment.
  if (!setpriv) return { command, identity: { ...numeric('uid', uid, command), ...numeric('gid', gid, command), env } };
  const user = uid === undefined ? [] : ['--reuid', uid];
  const group = gid === undefined ? [] : ['--regid', gid];
  const own = account?.hasAccount ? '--init-groups' : '--clear-groups';
  const groups = added.length === 0 ? [own] : ['--groups', groupList(added, { uid, gid, account })];
  const carried = carrying(env, command);
  return { command: [setpriv, ...user, ...group, ...groups, '--', ...carried.command], identity: { env: carried.env } };
}

/** Those that `--init-groups` would set, or those of the daemon if only groups are set, and these. */
function groupList(added: readonly string[], { uid, gid, account }: Identity): string {
  const theirs = account?.hasAccount ? groupsOf(uid!) : [];
  const daemons = uid === undefined && gid === undefined ? (process.getgroups?.() ?? []) : [];
  const all = [...(gid === undefined ? [] : [gid]), ...theirs, ...daemons, ...added];
  return [...new Set(all.map(String))].join(',');
}

/**
 * Enters a directory with the rights of the app's user, if others than root could swap it for a link: a process of root
 * would follow that into directories which the user cannot enter. To be used inside of `withPrivileges`.
 */
export function inDirectory(cwd: string, owner: Pick<AppSpec, 'uid'>, command: Words): { cwd: string; command: Words } {
  const uid = process.geteuid?.() ?? 0;
  if (!isForeign(owner) || isTrustedPath(cwd, { uid, sticky: 'present' })) return { cwd, command };
  return { cwd: '/', command: ['/bin/sh', '-c', entering, 'sh', cwd, ...command] };
}

/** Some shells would pass OLDPWD on. */
const entering = 'cd -- "$1" || exit; unset OLDPWD; shift; exec "$@"';

/** Ignores the setpriv of busybox, which lacks these options. */
function findSetpriv(): string | undefined {
  const program = findSystemProgram('setpriv');
  return program && basename(realpathSync(program)) === 'setpriv' ? program : undefined;
}

function numeric(key: 'uid' | 'gid', id: string | undefined, [program]: Words): { uid?: number; gid?: number } {
  if (id === undefined) return {};
  if (/^\d+$/.test(id)) return { [key]: Number(id) };
  throw failure('CANNOT_SPAWN', { program, detail: `the ${key} "${id}" is not a number` });
}

/** A user and a group, as in the settings of an app. */
export type AppUser = Pick<AppSpec, 'uid' | 'gid'>;

/** Milliseconds: a file system of the user's may never answer. */
const timeout = 10_000;
const mostText = 4096;

/**
 * Runs a line of `sh` with these arguments ($1, $2 ...) in /, so that links which that user has set lead nowhere else. Rejects with the
 * last line of its messages if it fails, or takes more than ten seconds.
 */
export function shellAs(owner: AppUser, line: string, args: readonly string[]): Promise<void> {
  return new Promise((resolve, reject) => {
    const { command, identity } = withPrivileges(['/bin/sh', '-c', line, 'sh', ...args], owner, fixedEnvironment);
    const [file, ...words] = command;
    const child = spawnChild(file, words, {
      ...identity,
      cwd: '/',
      detached: true,
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    let text = '';
    child.stderr.setEncoding('utf8').on('data', (part: string) => {
      text = (text + part).slice(-mostText);
    });
    const cancel = realClock.after(timeout, () => {
      child.kill('SIGKILL');
      child.stderr.destroy();
      // Not at its exit: a hanging file system keeps even a killed process.
      reject(new Error('it takes too long'));
    });
    child.on('error', (error) => {
      cancel();
      reject(new Error(detailOf(error)));
    });
    child.on('close', (code, signal) => {
      cancel();
      if (code === 0) resolve();
      else reject(new Error(text.trim().split('\n').at(-1) || signal || `exit code ${code}`));
    });
  });
}
