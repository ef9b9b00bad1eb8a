// How a program gets another user and group.
import { realpathSync } from 'node:fs';
import { basename } from 'node:path';
import type { AppSpec } from '../../config/app-spec.ts';
import { findProgram } from '../../os/programs.ts';
import { findUser } from '../../os/users.ts';
import { failure } from '../../shared/errors.ts';
import type { Words } from './command.ts';

export interface Privileged {
  command: Words;
  /** Options of `spawn`, where that has to do. */
  ids: { uid?: number; gid?: number };
}

/**
 * Through setpriv (util-linux), which gives a user the supplementary groups of the user's own. Node drops them all, so
 * that is for machines without it. A group without a user means that group and no other, and so does a user without an
 * account; a user without a group means the user's primary one.
 */
export function withPrivileges(command: Words, owner: Pick<AppSpec, 'uid' | 'gid'>): Privileged {
  const { uid } = owner;
  const account = uid === undefined ? undefined : findUser(uid);
  const gid = owner.gid ?? (account && String(account.gid));
  if (uid === undefined && gid === undefined) return { command, ids: {} };
  const setpriv = findSetpriv();
  if (!setpriv) return { command, ids: { ...numeric('uid', uid, command), ...numeric('gid', gid, command) } };
  const user = uid === undefined ? [] : ['--reuid', uid];
  const group = gid === undefined ? [] : ['--regid', gid];
  const groups = account?.hasAccount ? '--init-groups' : '--clear-groups';
  return { command: [setpriv, ...user, ...group, groups, '--', ...command], ids: {} };
}

/** The one of busybox knows none of these options. */
function findSetpriv(): string | undefined {
  const program = findProgram('setpriv', { cwd: '/', env: { PATH: '/usr/bin:/bin:/usr/sbin:/sbin' } });
  return program && basename(realpathSync(program)) === 'setpriv' ? program : undefined;
}

function numeric(key: 'uid' | 'gid', id: string | undefined, [program]: Words): Privileged['ids'] {
  if (id === undefined) return {};
  if (/^\d+$/.test(id)) return { [key]: Number(id) };
  throw failure('CANNOT_SPAWN', { program, detail: `the ${key} "${id}" is not a number` });
}
