import { describe, expect, it } from 'vitest';
import { cgroupDirectories, cpuQuota, memoryLimit, parseQuota } from '../../../src/os/cgroup.ts';
import { mounts, seenIn } from '../../helpers/kernel-tree.ts';

const none = Number.POSITIVE_INFINITY;
/** What v1 says where there is no limit. */
const v1None = '9223372036854771712';

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

describe('the strictest limit counts', () => {
  it.each<[string, Record<string, string>, number, number]>([
    ['nothing is known', {}, none, none],
    [
      'a container under v2',
      {
        'proc/self/cgroup': '0::/',
        'proc/self/mountinfo': mounts.v2,
        'sys/fs/cgroup/cpu.max': '150000 100000',
        'sys/fs/cgroup/memory.max': '268435456',
      },
      1.5,
      256 * 1024 ** 2,
    ],
    [
      'v2 without limits',
      {
        'proc/self/cgroup': '0::/a',
        'proc/self/mountinfo': mounts.v2,
        'sys/fs/cgroup/a/cpu.max': 'max 100000',
        'sys/fs/cgroup/a/memory.max': 'max',
      },
      none,
      none,
    ],
    [
      'v2, CPU time limited above and memory within',
      {
        'proc/self/cgroup': '0::/pod/container/inner',
        'proc/self/mountinfo': mounts.v2,
        'sys/fs/cgroup/pod/cpu.max': '50000 100000',
        'sys/fs/cgroup/pod/memory.max': '1073741824',
        'sys/fs/cgroup/pod/container/cpu.max': '200000 100000',
        'sys/fs/cgroup/pod/container/memory.max': '536870912',
        'sys/fs/cgroup/pod/container/inner/memory.max': 'max',
      },
      0.5,
      512 * 1024 ** 2,
    ],
    [
      'v1, each controller in its own place',
      {
        'proc/self/cgroup': '4:memory:/docker/m\n3:cpu,cpuacct:/docker/c',
        'proc/self/mountinfo': mounts.v1,
        'sys/fs/cgroup/cpu,cpuacct/docker/c/cpu.cfs_quota_us': '250000',
        'sys/fs/cgroup/cpu,cpuacct/docker/c/cpu.cfs_period_us': '100000',
        'sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us': '-1',
        'sys/fs/cgroup/cpu,cpuacct/cpu.cfs_period_us': '100000',
        'sys/fs/cgroup/memory/docker/m/memory.limit_in_bytes': v1None,
        'sys/fs/cgroup/memory/docker/memory.limit_in_bytes': '104857600',
      },
      2.5,
      100 * 1024 ** 2,
    ],
    [
      'v1 with an empty v2 beside it',
      {
        'proc/self/cgroup': '4:memory:/\n3:cpu,cpuacct:/\n0::/',
        'proc/self/mountinfo': mounts.hybrid,
        'sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us': '100000',
        'sys/fs/cgroup/cpu,cpuacct/cpu.cfs_period_us': '100000',
        'sys/fs/cgroup/memory/memory.limit_in_bytes': '104857600',
        'sys/fs/cgroup/unified/cgroup.procs': '1',
      },
      1,
      100 * 1024 ** 2,
    ],
  ])('%s', (_case, files, cpus, bytes) => {
    expect(seenIn(files, cpuQuota)).toBe(cpus);
    expect(seenIn(files, memoryLimit)).toBe(bytes);
  });
});
