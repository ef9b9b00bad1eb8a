import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { build } from 'esbuild';
import { describe, expect, it } from 'vitest';
import { instanceCount, usableCpus } from '../../../src/config/cpus.ts';
import { mounts, seenIn } from '../../helpers/kernel-tree.ts';
import { outputOf } from '../../helpers/program.ts';

/** A machine with 8 CPUs. */
const machine = (allowed: string, quota: string, online = '0-7') => ({
  'proc/self/status': `Name:\tnode\nCpus_allowed:\tff\nCpus_allowed_list:\t${allowed}\nMems_allowed_list:\t0`,
  'sys/devices/system/cpu/online': online,
  'proc/self/cgroup': '0::/',
  'proc/self/mountinfo': mounts.v2,
  'sys/fs/cgroup/cpu.max': quota,
});

describe('the CPUs that may be used', () => {
  it.each([
    ['all without a limit', machine('0-7', 'max 100000'), 8],
    ['those of the affinity', machine('0-1,4,6-7', 'max 100000'), 5],
    ['only those that are there', machine('0-127', 'max 100000', '0-3,6'), 5],
    ['one, of a quota of 0.5', machine('0-7', '50000 100000'), 1],
    ['one, of a quota of 1', machine('0-7', '100000 100000'), 1],
    ['two, of a quota of 1.5', machine('0-7', '150000 100000'), 2],
    ['those of the affinity where the quota allows more', machine('3', '400000 100000'), 1],
    ['those of Node where the kernel says nothing', {}, availableParallelism()],
  ])('are %s', (_case, files, expected) => {
    expect(seenIn(files, usableCpus)).toBe(expected);
  });

  it.skipIf(process.platform !== 'linux')('follow the affinity of this very process', async () => {
    const { outputFiles } = await build({
      stdin: {
        contents: `import { usableCpus } from './src/config/cpus.ts'; console.log(usableCpus());`,
        resolveDir: join(import.meta.dirname, '..', '..', '..'),
      },
      bundle: true,
      write: false,
      platform: 'node',
    });
    const words = ['-c', '0', process.execPath, '-e', outputFiles[0]!.text];
    expect(await outputOf('taskset', words)).toBe('1\n');
  });
});

describe('the count of instances', () => {
  it('is the number that was asked for, or follows the usable CPUs and is at least 1', () => {
    expect(instanceCount(7)).toBe(7);
    expect(instanceCount('max')).toBe(usableCpus());
    expect(instanceCount('-1')).toBe(Math.max(1, usableCpus() - 1));
    expect(instanceCount('-1000')).toBe(1);
  });
});
