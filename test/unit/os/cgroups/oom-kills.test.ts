import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { createOomKills } from '../../../../src/os/cgroups/oom-kills.ts';
import { kernelTree, mounts } from '../../../helpers/kernel-tree.ts';

const who = { pid: 7 };

/** The kernel's files of a process in `/web`, and of nsv in `/nsv`. `counter`: the file, and what it says of `count` kills. */
const kernels = [
  {
    kind: 'v2',
    memory: 'sys/fs/cgroup',
    mountinfo: mounts.v2,
    line: '0::',
    counter: ['memory.events.local', (count: number) => `low 0\nhigh 0\nmax 9\noom ${count}\noom_kill ${count}`],
  },
  {
    kind: 'v2 before Linux 5.2',
    memory: 'sys/fs/cgroup',
    mountinfo: mounts.v2,
    line: '0::',
    counter: ['memory.events', (count: number) => `oom 9\noom_kill ${count}`],
  },
  {
    kind: 'v1',
    memory: 'sys/fs/cgroup/memory',
    mountinfo: mounts.hybrid,
    line: '0::/elsewhere\n4:memory:',
    counter: ['memory.oom_control', (count: number) => `oom_kill_disable 0\nunder_oom 0\noom_kill ${count}`],
  },
] as const;

describe.each(kernels)('a kill by the kernel, counted by cgroups of $kind', ({ memory, mountinfo, line, counter }) => {
  const [file, text] = counter;
  const tree = (rest: Record<string, string> = {}) => ({
    'proc/self/mountinfo': mountinfo,
    'proc/self/cgroup': `${line}/nsv`,
    'proc/7/cgroup': `${line}/web`,
    [`${memory}/web/${file}`]: text(3),
    [`${memory}/web/cgroup.procs`]: '',
    [`${memory}/nsv/${file}`]: text(0),
    [`${memory}/nsv/cgroup.procs`]: '1',
    ...rest,
  });
  const counts = (root: string, group: string, count: number) =>
    writeFileSync(join(root, memory, group, file), `${text(count)}\n`);
  const watching = (files: Record<string, string> = tree()) => {
    const root = kernelTree(files);
    const kills = createOomKills(root);
    kills.watch(who);
    return { root, kills };
  };

  it('is certain if the process was alone in its cgroup, and explains one death', () => {
    const { root, kills } = watching();
    expect(kills.explain(who)).toBeUndefined();
    counts(root, 'web', 4);
    expect(kills.explain(who)).toBe('certain');
    expect(kills.explain(who)).toBeUndefined();
  });

  it('is probable if other processes are in the cgroup too', () => {
    const { root, kills } = watching(tree({ [`${memory}/web/cgroup.procs`]: '8\n9' }));
    counts(root, 'web', 5);
    expect(kills.explain(who)).toBe('probable');
  });

  it('explains nothing if it came before the process was watched', async () => {
    const { root, kills } = watching();
    counts(root, 'web', 4);
    await turn();
    const next = { ...who };
    kills.watch(next);
    expect(kills.explain(next)).toBeUndefined();
  });

  it("is looked for in nsv's own cgroup if the process was gone too soon to be watched", () => {
    const { root, kills } = watching();
    counts(root, 'nsv', 1);
    expect(kills.explain({ pid: 8 })).toBe('probable');
  });

  it('is not claimed if the cgroup is gone, or the kernel shows none', () => {
    const { root, kills } = watching();
    rmSync(join(root, memory), { recursive: true });
    expect(kills.explain(who)).toBeUndefined();
    expect(watching({}).kills.explain(who)).toBeUndefined();
  });
});
