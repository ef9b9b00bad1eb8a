import { availableParallelism, totalmem } from 'node:os';
import { join } from 'node:path';
import { build } from 'esbuild';
import { describe, expect, it } from 'vitest';
import {
  cgroupDirectories,
  cpuQuota,
  memoryLimit,
  parseQuota,
  usableCpus,
  usableMemory,
} from '../../../src/os/cgroup.ts';
import { cgroupFiles, kernelTree, mounts } from '../../helpers/kernel-tree.ts';
import { outputOf } from '../../helpers/program.ts';

const none = Number.POSITIVE_INFINITY;
const mb = 1024 ** 2;
/** What v1 says where there is no limit. */
const v1None = '9223372036854771712';
const v2 = (own: string, files: Record<string, string>) => cgroupFiles(`0::${own}`, mounts.v2, files);

describe('the cgroups that may limit a process', () => {
  it.each([
    [
      'v2, up to the mount',
      '0::/user.slice/app.service\n',
      mounts.v2,
      ['/sys/fs/cgroup/user.slice/app.service', '/sys/fs/cgroup/user.slice', '/sys/fs/cgroup'],
    ],
    ['v2 in a container with a view of its own', '0::/\n', mounts.v2, ['/sys/fs/cgroup']],
    [
      'v1, only where the cpu controller is',
      '4:memory:/a\n3:cpu,cpuacct:/docker\n0::/x\n',
      mounts.v1,
      ['/sys/fs/cgroup/cpu,cpuacct/docker', '/sys/fs/cgroup/cpu,cpuacct'],
    ],
    [
      'v1 in a container that sees only its own part',
      '3:cpu,cpuacct:/docker/abc/inner\n',
      '33 31 0:29 /docker/abc /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu,cpuacct',
      ['/sys/fs/cgroup/cpu/inner', '/sys/fs/cgroup/cpu'],
    ],
    ['a path outside of what is mounted', '0::/../other\n', mounts.v2.replace(' / ', ' /mine '), ['/sys/fs/cgroup']],
    ['a mount with a space in its name', '0::/\n', mounts.v2.replace('/sys/fs', '/my\\040fs'), ['/my fs/cgroup']],
    ['none', '', '22 27 0:21 / /proc rw - proc proc rw\n', []],
  ])('are found: %s', (_case, cgroups, mountinfo, expected) => {
    expect(cgroupDirectories('cpu', cgroups, mountinfo)).toEqual(expected);
  });
});

describe('a quota', () => {
  it.each([
    ['max 100000\n', none],
    ['150000 100000\n', 1.5],
    ['-1\n 100000\n', none],
    ['50000\n 100000\n', 0.5],
    ['', none],
  ])('of %j is %d CPUs', (text, cpus) => {
    expect(parseQuota(text)).toBe(cpus);
  });
});

describe('the strictest limit', () => {
  it.each<[string, Record<string, string>, number, number]>([
    ['nothing is known', {}, none, none],
    ['a container under v2', v2('/', { 'cpu.max': '150000 100000', 'memory.max': '268435456' }), 1.5, 256 * mb],
    ['v2 without limits', v2('/a', { 'a/cpu.max': 'max 100000', 'a/memory.max': 'max' }), none, none],
    [
      'v2, CPU time limited above and memory within',
      v2('/pod/container/inner', {
        'pod/cpu.max': '50000 100000',
        'pod/memory.max': '1073741824',
        'pod/container/cpu.max': '200000 100000',
        'pod/container/memory.max': '536870912',
        'pod/container/inner/memory.max': 'max',
      }),
      0.5,
      512 * mb,
    ],
    [
      'v1, each controller in its own place',
      cgroupFiles('4:memory:/docker/m\n3:cpu,cpuacct:/docker/c', mounts.v1, {
        'cpu,cpuacct/docker/c/cpu.cfs_quota_us': '250000',
        'cpu,cpuacct/docker/c/cpu.cfs_period_us': '100000',
        'cpu,cpuacct/cpu.cfs_quota_us': '-1',
        'cpu,cpuacct/cpu.cfs_period_us': '100000',
        'memory/docker/m/memory.limit_in_bytes': v1None,
        'memory/docker/memory.limit_in_bytes': '104857600',
      }),
      2.5,
      100 * mb,
    ],
    [
      'v1 with an empty v2 beside it',
      cgroupFiles('4:memory:/\n3:cpu,cpuacct:/\n0::/', mounts.hybrid, {
        'cpu,cpuacct/cpu.cfs_quota_us': '100000',
        'cpu,cpuacct/cpu.cfs_period_us': '100000',
        'memory/memory.limit_in_bytes': '104857600',
        'unified/cgroup.procs': '1',
      }),
      1,
      100 * mb,
    ],
  ])('counts: %s', (_case, files, cpus, bytes) => {
    expect(cpuQuota(kernelTree(files))).toBe(cpus);
    expect(memoryLimit(kernelTree(files))).toBe(bytes);
  });
});

/** A machine with 8 CPUs. */
const machine = (allowed: string, quota: string, online = '0-7') => ({
  'proc/self/status': `Name:\tnode\nCpus_allowed:\tff\nCpus_allowed_list:\t${allowed}\nMems_allowed_list:\t0`,
  'sys/devices/system/cpu/online': online,
  ...v2('/', { 'cpu.max': quota }),
});

describe('the usable CPUs', () => {
  it.each([
    ['all without a limit', machine('0-7', 'max 100000'), 8],
    ['those of the affinity', machine('0-1,4,6-7', 'max 100000'), 5],
    ['only those that are online', machine('0-127', 'max 100000', '0-3,6'), 5],
    ['one, of a quota of 0.5', machine('0-7', '50000 100000'), 1],
    ['one, of a quota of 1', machine('0-7', '100000 100000'), 1],
    ['two, of a quota of 1.5', machine('0-7', '150000 100000'), 2],
    ['those of the affinity if the quota allows more', machine('3', '400000 100000'), 1],
    ['those of Node if the kernel gives no information', {}, availableParallelism()],
  ])('are %s', (_case, files, expected) => {
    expect(usableCpus(kernelTree(files))).toBe(expected);
  });

  it.skipIf(process.platform !== 'linux')('follow the affinity of this process', async () => {
    const { outputFiles } = await build({
      stdin: {
        contents: `import { usableCpus } from './src/os/cgroup.ts'; console.log(usableCpus());`,
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

describe('the usable memory', () => {
  const limitedTo = (bytes: string) => usableMemory(kernelTree(v2('/', { 'memory.max': bytes })));

  it('is the limit of the cgroup, but never more than the machine has', () => {
    expect(limitedTo('1048576')).toBe(1_048_576);
    expect(limitedTo('max')).toBe(totalmem());
    expect(limitedTo('9223372036854771712')).toBe(totalmem());
  });
});
