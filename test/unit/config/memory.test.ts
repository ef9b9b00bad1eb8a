import { totalmem } from 'node:os';
import { expect, it } from 'vitest';
import { bytesOf, usableMemory } from '../../../src/config/memory.ts';
import { mounts, seenIn } from '../../helpers/kernel-tree.ts';

const limited = (bytes: string) => ({
  'proc/self/cgroup': '0::/',
  'proc/self/mountinfo': mounts.v2,
  'sys/fs/cgroup/memory.max': bytes,
});

it('is what the cgroup leaves, and never more than the machine has', () => {
  expect(seenIn(limited('1048576'), usableMemory)).toBe(1_048_576);
  expect(seenIn(limited('max'), usableMemory)).toBe(totalmem());
  expect(seenIn(limited('9223372036854771712'), usableMemory)).toBe(totalmem());
});

it('is the whole of a share, at the moment when it is asked', () => {
  expect(seenIn(limited('1000'), (root) => bytesOf('33.33%', root))).toBe(333);
  expect(seenIn(limited('2000'), (root) => bytesOf('80%', root))).toBe(1_600);
  expect(seenIn(limited('2000'), (root) => bytesOf(4_096, root))).toBe(4_096);
});
