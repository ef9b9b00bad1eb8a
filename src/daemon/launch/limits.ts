// Starts the programs of apps with --cpu, --memory or --pids in cgroups.
import { type AppSpec, hasLimits } from '../../config/app-spec.ts';
import { type AppCgroups, removeCgroup } from '../../os/cgroups/app-cgroups.ts';
import type { TreeMark } from '../../os/tree-mark.ts';
import { detailOf, failure } from '../../shared/errors.ts';

/** For processes whose descendants may outlive them: these are not stopped with it. */
const keptOrphans = 'kept';

/** The cgroup of a new process; undefined if the app has no limits. Throws CANNOT_LIMIT: the app must not run without them. */
export function cgroupFor(
  spec: AppSpec,
  tree: TreeMark | undefined,
  cgroups: AppCgroups | undefined,
): string | undefined {
  if (!hasLimits(spec)) return undefined;
  const { name, cpu, memory, pids } = spec;
  try {
    if (!cgroups) throw new Error('this daemon has no cgroups');
    return cgroups.prepare(name, { cpu, memory, pids }, tree?.token ?? keptOrphans);
  } catch (cause) {
    throw failure('CANNOT_LIMIT', { name, detail: detailOf(cause) }, { cause });
  }
}

/** That of a process which an earlier daemon has started, and had no time to write down. */
export function foundCgroup(
  spec: AppSpec,
  tree: TreeMark | undefined,
  cgroups: AppCgroups | undefined,
): string | undefined {
  return tree && hasLimits(spec) ? cgroups?.find(spec.name, tree.token) : undefined;
}

/** `start` starts the process. If it throws, nothing will ever be in the cgroup, and it goes again. */
export function orWithoutCgroup<T>(cgroup: string | undefined, start: () => T): T {
  try {
    return start();
  } catch (error) {
    if (cgroup !== undefined) removeCgroup(cgroup);
    throw error;
  }
}

/** Its descendants are all in there, unless they may stay. */
export function isWholeTree(cgroup: string | undefined): cgroup is string {
  return cgroup !== undefined && !cgroup.endsWith(`/${keptOrphans}`);
}
