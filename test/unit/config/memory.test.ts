import { expect, it } from 'vitest';
import { bytesOf } from '../../../src/config/memory.ts';
import { cgroupFiles, kernelTree, mounts } from '../../helpers/kernel-tree.ts';

const limitedTo = (bytes: string) => kernelTree(cgroupFiles('0::/', mounts.v2, { 'memory.max': bytes }));

it('bytesOf takes a percentage of the current memory limit, in whole bytes', () => {
  expect(bytesOf('33.33%', limitedTo('1000'))).toBe(333);
  expect(bytesOf('80%', limitedTo('2000'))).toBe(1_600);
  expect(bytesOf(4_096, limitedTo('2000'))).toBe(4_096);
});
