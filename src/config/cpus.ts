// How many CPUs this process may really use: not those of the machine, but those that affinity and cgroups leave.
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { cpuQuota, kernelText } from '../os/cgroup.ts';
import type { InstanceCount } from './options/fields.ts';

/** The number of instances that `max`, `-k` or a plain number stands for here; at least 1. */
export function instanceCount(instances: InstanceCount): number {
  if (typeof instances === 'number') return instances;
  return Math.max(1, usableCpus() + (instances === 'max' ? 0 : Number(instances)));
}

/** At least 1. A quota of 1.5 CPUs counts as 2, as for the JVM and Go: a lone process could never use the half. */
export function usableCpus(root = '/'): number {
  return Math.max(1, Math.min(allowedCpus(root), Math.ceil(cpuQuota(root))));
}

/**
 * The CPUs of this machine that the process may run on (sched_setaffinity, cpusets). Where there is /proc, not from
 * `availableParallelism`: from Node 22.12 on that knows the quota too, but rounds it down, so that 1.5 CPUs would be 2 on
 * one Node and 1 on the other. The kernel lists CPUs that are not there as allowed, hence the second list.
 */
function allowedCpus(root: string): number {
  const allowed = /^Cpus_allowed_list:(.*)$/m.exec(kernelText(join(root, 'proc/self/status')))?.[1];
  const counts = [allowed, kernelText(join(root, 'sys/devices/system/cpu/online'))]
    .map(countCpus)
    .filter((count) => count > 0);
  return counts.length > 0 ? Math.min(...counts) : availableParallelism();
}

/** 6 for "0-3,8,10"; 0 for no text. */
function countCpus(list = ''): number {
  const ranges = list.split(',').map((range) => /^\s*(\d+)(?:-(\d+))?\s*$/.exec(range));
  return ranges.reduce((sum, range) => (range ? sum + Number(range[2] ?? range[1]) - Number(range[1]) + 1 : sum), 0);
}
