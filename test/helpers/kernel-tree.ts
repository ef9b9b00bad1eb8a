// Files as the kernel shows them in /proc and /sys.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

/** What `look` finds in a directory with these files. */
export function seenIn<T>(files: Record<string, string>, look: (root: string) => T): T {
  const root = mkdtempSync(join(tmpdir(), 'nsv-kernel-'));
  try {
    for (const [name, text] of Object.entries(files)) {
      mkdirSync(dirname(join(root, name)), { recursive: true });
      writeFileSync(join(root, name), `${text}\n`);
    }
    return look(root);
  } finally {
    rmSync(root, { recursive: true });
  }
}

const v2 = '30 23 0:26 / /sys/fs/cgroup rw,nosuid shared:9 - cgroup2 cgroup2 rw,nsdelegate';
const v1 = [
  '33 31 0:29 / /sys/fs/cgroup/cpu,cpuacct rw - cgroup cgroup rw,cpu,cpuacct',
  '34 31 0:31 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory',
].join('\n');

/** Texts of /proc/self/mountinfo. */
export const mounts = { v2, v1, hybrid: `${v1}\n${v2.replace('/sys/fs/cgroup', '/sys/fs/cgroup/unified')}` };
