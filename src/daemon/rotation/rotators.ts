// One rotator for the daemon's user, and one for each other user who could replace a log file. Each runs only while there
// are jobs for it.
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { recover, recoverAtStart } from '../../logs/rotation-recovery.ts';
import { nameOfUser } from '../../os/users.ts';
import type { AppUser } from '../../privileges/privileges.ts';
import type { Clock } from '../../shared/clock.ts';
import { type HomePaths, installed } from '../../shared/paths.ts';
import { launchRotator, recoverAs } from '../launch/rotator.ts';
import { keyOf } from './log-files.ts';
import { createRotator, type RotatorDeps, type RunJob } from './rotator.ts';

export function createRotators(
  paths: HomePaths,
  deps: Pick<RotatorDeps, 'clock' | 'deleted' | 'trouble'>,
): (owner: AppUser | undefined) => RunJob {
  const runs = new Map<string, RunJob>();
  return (owner) => {
    const key = keyOf(owner);
    const run = runs.get(key) ?? createRotator({ ...deps, ...(owner ? foreign(paths, owner) : own(paths)) });
    runs.set(key, run);
    return run;
  };
}

function own({ rotation }: HomePaths): Pick<RotatorDeps, 'launch' | 'recover'> {
  return {
    launch: (handlers) => launchRotator(installed.rotator, rotation, handlers),
    recover: () => recover(rotation),
  };
}

function foreign({ home }: HomePaths, owner: AppUser): Pick<RotatorDeps, 'launch' | 'recover' | 'fault'> {
  const record = recordOf(home, owner);
  const user = nameOfUser(owner.uid ?? '');
  return {
    launch: (handlers) => launchRotator(installed.rotator, record, handlers, owner),
    recover: () => recoverAs(owner, installed.rotator, record),
    fault: `the rotator does not run as user ${user}, who has to be able to execute Node and to read the nsv package, and must not stop it`,
  };
}

/** For a starting daemon: recovers what the rotators of the previous one have left. */
export async function recoverAll({ home, rotation }: HomePaths, clock: Clock): Promise<void> {
  const owners = readdirSync(home).flatMap((name) => ownerIn(name) ?? []);
  await Promise.all([
    recoverAtStart(rotation, clock),
    ...owners.map((owner) => recoverAs(owner, installed.rotator, recordOf(home, owner))),
  ]);
}

function recordOf(home: string, { uid, gid }: AppUser): string {
  return join(home, `rotation-${uid}-${gid ?? ''}.json`);
}

function ownerIn(name: string): AppUser | undefined {
  const [, uid, gid] = /^rotation-(\d+)-(\d*)\.json$/.exec(name) ?? [];
  return uid === undefined ? undefined : { uid, gid: gid || undefined };
}
