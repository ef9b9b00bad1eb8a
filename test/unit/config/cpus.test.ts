import { execFileSync } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { describe, expect, it } from 'vitest';
import { cgroupDirectories, instanceCount, parseQuota, usableCpus } from '../../../src/config/cpus.ts';

const v2Mount = '30 23 0:26 / /sys/fs/cgroup rw,nosuid shared:9 - cgroup2 cgroup2 rw,nsdelegate\n';
const v1Mounts = [
  '33 31 0:29 / /sys/fs/cgroup/cpu,cpuacct rw - cgroup cgroup rw,cpu,cpuacct',
  '34 31 0:31 / /sys/fs/cgroup/cpuset rw - cgroup cgroup rw,cpuset',
].join('\n');

describe('the cgroups that may limit a process', () => {
  it.each([
    [
      'v2, up to the mount',
      '0::/user.slice/app.service\n',
      v2Mount,
      ['/sys/fs/cgroup/user.slice/app.service', '/sys/fs/cgroup/user.slice', '/sys/fs/cgroup'],
    ],
    ['v2 in a container with a view of its own', '0::/\n', v2Mount, ['/sys/fs/cgroup']],
    [
      'v1, only where the cpu controller is',
      '4:cpuset:/a\n3:cpu,cpuacct:/docker\n0::/x\n',
      v1Mounts,
      ['/sys/fs/cgroup/cpu,cpuacct/docker', '/sys/fs/cgroup/cpu,cpuacct'],
    ],
    [
      'v1 in a container that sees only its own part',
      '3:cpu,cpuacct:/docker/abc/inner\n',
      '33 31 0:29 /docker/abc /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu,cpuacct',
      ['/sys/fs/cgroup/cpu/inner', '/sys/fs/cgroup/cpu'],
    ],
    ['a path outside of what is mounted', '0::/../other\n', v2Mount.replace(' / ', ' /mine '), ['/sys/fs/cgroup']],
    ['a mount with a space in its name', '0::/\n', v2Mount.replace('/sys/fs', '/my\\040fs'), ['/my fs/cgroup']],
    ['none', '', '22 27 0:21 / /proc rw - proc proc rw\n', []],
  ])('are found: %s', (_case, cgroups, mounts, expected) => {
    expect(cgroupDirectories(cgroups, mounts)).toEqual(expected);
  });
});

describe('a quota', () => {
  it.each([
    ['max 100000\n', Number.POSITIVE_INFINITY],
    ['150000 100000\n', 1.5],
    ['-1\n 100000\n', Number.POSITIVE_INFINITY],
    ['50000\n 100000\n', 0.5],
    ['', Number.POSITIVE_INFINITY],
  ])('of %j is %d CPUs', (text, cpus) => {
    expect(parseQuota(text)).toBe(cpus);
  });
});

describe('the count of instances', () => {
  it('is the number that was asked for, or follows the usable CPUs and is at least 1', () => {
    expect(instanceCount(7)).toBe(7);
    expect(instanceCount('max')).toBe(usableCpus());
    expect(instanceCount('-1')).toBe(Math.max(1, usableCpus() - 1));
    expect(instanceCount('-1000')).toBe(1);
    expect(usableCpus()).toBeLessThanOrEqual(availableParallelism());
  });

  it.skipIf(process.platform !== 'linux')('follows the CPU affinity, on every Node', () => {
    const count = execFileSync('taskset', ['-c', '0', process.execPath, '-p', 'os.availableParallelism()']);
    expect(Number(count)).toBe(1);
  });
});
