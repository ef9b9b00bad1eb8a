// How many instances an app has.
import { usableCpus } from '../os/cgroup.ts';
import { BadValue, taking } from './options/parsers.ts';

/** The limit of instances per app: far more than a machine can run, so a higher number is a mistake. */
export const mostInstances = 10_000;

/** A number, `max` (the CPUs this process may use), or `-k` (k fewer than that, at least 1). */
export type InstanceCount = number | 'max' | `-${number}`;

/** 0 means `max`, as in PM2. */
export const instanceCountOf = taking<InstanceCount>({ type: ['integer', 'string'] }, (input) => {
  const word = String(input).trim();
  if (word === 'max' || word === '0') return 'max';
  const [, minus, digits] = /^(-?)([1-9]\d*)$/.exec(word) ?? [];
  if (digits === undefined || Number(digits) > mostInstances) {
    throw new BadValue(
      `must be a number up to ${mostInstances}, "max", or "-k" (k fewer than the CPUs), not ${JSON.stringify(input)}`,
    );
  }
  return minus ? `-${Number(digits)}` : Number(digits);
});

/** Resolves `max` and `-k` to a number of instances on this machine; at least 1. */
export function instanceCount(instances: InstanceCount): number {
  if (typeof instances === 'number') return instances;
  return Math.max(1, usableCpus() + (instances === 'max' ? 0 : Number(instances)));
}
