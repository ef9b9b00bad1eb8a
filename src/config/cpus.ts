// The number of CPUs this process may use, given its affinity and cgroups.
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { cpuQuota, kernelText } from '../os/cgroup.ts';
import type { InstanceCount } from './options/fields.ts';

/** Resolves `max` and `-k` to a number of instances on this machine; at least 1. */
export function instanceCount(instances: InstanceCount): number {
  if (typeof instances === 'number') return instances;
  return Math.max(1, usableCpus() + (instances === 'max' ? 0 : Number(instances)));
}

/** At least 1. A quota of 1.5 CPUs counts as 2, as in the JVM and Go: a single process could not use the half CPU. */
export function usableCpus(root = '/'): number {
  return Math.max(1, Math.min(allowedCpus(root), Math.ceil(cpuQuota(root))));
}

/**
 * The CPUs that this process may run on (sched_setaffinity, cpusets). Reads /proc where there is one, because
 * `availableParallelism` includes the quota from Node 22.12 on, but rounds it down: 1.5 CPUs would count as 2 with one
 * Node and as 1 with another. The kernel lists absent CPUs as allowed, so the list of online CPUs is read too.
 */
function allowedCpus(root: string): number {
  const allowed = /^Cpus_allowed_list:(.*)$/m.exec(kernelText(join(root, 'proc/self/status')))?.[1];
  const counts = [allowed, kernelText(join(root, 'sys/devices/system/cpu/online'))]
    .map(countCpus)
    .filter((count) => count > 0);
  return counts.length > 0 ? Math.min(...counts) : availableParallelism();
}

/** 6 for "0-3,8,10"; 0 for empty text. */
function countCpus(list = ''): number {
  const ranges = list.split(',').map((range) => /^\s*(\d+)(?:-(\d+))?\s*$/.exec(range));
  return ranges.reduce((sum, range) => (range ? sum + Number(range[2] ?? range[1]) - Number(range[1]) + 1 : sum), 0);
}
