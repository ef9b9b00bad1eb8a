// Files as the kernel shows them in /proc and /sys.
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { temporaryDirectory } from './temporary.ts';

/** A directory with these files, for the test that runs. */
export function kernelTree(files: Record<string, string>): string {
  const root = temporaryDirectory();
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, name)), { recursive: true });
    writeFileSync(join(root, name), `${text}\n`);
  }
  return root;
}

const v2 = '30 23 0:26 / /sys/fs/cgroup rw,nosuid shared:9 - cgroup2 cgroup2 rw,nsdelegate';
const v1 = [
  '33 31 0:29 / /sys/fs/cgroup/cpu,cpuacct rw - cgroup cgroup rw,cpu,cpuacct',
  '34 31 0:31 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory',
].join('\n');

/** Texts of /proc/self/mountinfo. */
export const mounts = { v2, v1, hybrid: `${v1}\n${v2.replace('/sys/fs/cgroup', '/sys/fs/cgroup/unified')}` };

/** A process in a cgroup, and the files below the mount of the cgroups. */
export function cgroupFiles(own: string, mountinfo: string, files: Record<string, string>): Record<string, string> {
  const below = Object.entries(files).map(([name, text]) => [`sys/fs/cgroup/${name}`, text]);
  return { 'proc/self/cgroup': own, 'proc/self/mountinfo': mountinfo, ...Object.fromEntries(below) };
}
