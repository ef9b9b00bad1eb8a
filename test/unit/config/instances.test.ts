import { expect, it } from 'vitest';
import { instanceCount } from '../../../src/config/instances.ts';
import { usableCpus } from '../../../src/os/cgroup.ts';

it('instanceCount is the requested number, or depends on the usable CPUs and is at least 1', () => {
  expect(instanceCount(7)).toBe(7);
  expect(instanceCount('max')).toBe(usableCpus());
  expect(instanceCount('-1')).toBe(Math.max(1, usableCpus() - 1));
  expect(instanceCount('-1000')).toBe(1);
});
