// Settings that ask something of the machine: its users, its groups, and limits that only Linux has.
import { findGroup, findUser } from '../os/users.ts';
import { failure } from '../shared/errors.ts';
import type { AppSettings } from './app-spec.ts';

type Settings = Pick<AppSettings, 'uid' | 'gid' | 'groups' | 'oomScoreAdj' | 'ulimit'>;

/** Throws BAD_OPTION for users and groups that do not exist, and for limits that this system lacks. */
export function expectPossible(settings: Settings): void {
  const problems = [...problemsOfUsers(settings), ...problemsElsewhere(settings)];
  if (problems.length > 0) throw failure('BAD_OPTION', { problems });
}

function problemsOfUsers({ uid, gid, groups = [] }: Settings): string[] {
  const isRoot = process.getuid?.() === 0;
  const strange = groups.filter((group) => findGroup(group) === undefined);
  const isNone = uid === undefined && gid === undefined && groups.length === 0;
  return [
    ...(uid === undefined || findUser(uid) ? [] : [`--uid "${uid}" is not a user of this machine`]),
    ...(gid === undefined || findGroup(gid) !== undefined ? [] : [`--gid "${gid}" is not a group of this machine`]),
    ...strange.map((group) => `--groups "${group}" is not a group of this machine`),
    ...(isNone || isRoot ? [] : ['only root can use --uid, --gid and --groups']),
  ];
}

/** What only Linux has. The shells of other systems count the sizes of `core` and `fsize` in blocks of their own. */
export function problemsElsewhere(
  { oomScoreAdj, ulimit = [] }: Settings,
  system: NodeJS.Platform = process.platform,
): string[] {
  if (system === 'linux') return [];
  const sizes = ulimit.filter((limit) => /^(core|fsize)=.*[1-9]/.test(limit));
  return [
    ...(oomScoreAdj === undefined ? [] : [`--oom-score-adj ${oomScoreAdj} works on Linux only, not on ${system}`]),
    ...sizes.map((limit) => `--ulimit ${limit} works on Linux only; on ${system} it can be 0 or unlimited`),
  ];
}

/** Converts names to numbers: saved apps mean the same to every reader, and the daemon needs no look-up. */
export function identityOf({ uid, gid, groups }: Settings): Pick<AppSettings, 'uid' | 'gid' | 'groups'> {
  const user = uid === undefined ? undefined : findUser(uid);
  const group = gid === undefined ? user?.gid : findGroup(gid);
  return {
    ...(user && { uid: String(user.uid) }),
    ...(group !== undefined && { gid: String(group) }),
    ...(groups && { groups: [...new Set(groups.map((word) => String(findGroup(word))))] }),
  };
}
