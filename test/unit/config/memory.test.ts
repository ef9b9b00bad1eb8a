import { expect, it } from 'vitest';
import { bytesOf } from '../../../src/config/memory.ts';
import { cgroupFiles, mounts, seenIn } from '../../helpers/kernel-tree.ts';

const limited = (bytes: string) => cgroupFiles('0::/', mounts.v2, { 'memory.max': bytes });

it('bytesOf takes a percentage of the current memory limit, in whole bytes', () => {
  expect(seenIn(limited('1000'), (root) => bytesOf('33.33%', root))).toBe(333);
  expect(seenIn(limited('2000'), (root) => bytesOf('80%', root))).toBe(1_600);
  expect(seenIn(limited('2000'), (root) => bytesOf(4_096, root))).toBe(4_096);
});
