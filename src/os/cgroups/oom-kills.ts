// Tells a kill by the kernel, because memory ran out, from any other SIGKILL: the kernel counts these kills in the cgroup of
// the process that it has killed. It does not say which process it was, so a count that several share proves only that it
// was one of them.
import { join } from 'node:path';
import { cgroupDirectories } from '../cgroup.ts';
import { fileText } from '../proc.ts';

/** A process, as an object that is remembered only as long as its owner has it. */
interface Who {
  readonly pid: number;
}

export interface OomKills {
  /** Call it for a running process: from now on, a kill in its cgroup counts. Two or three small files are read. */
  watch(who: Who): void;
  /**
   * Whether the kernel has killed the process, which is gone: `certain` if it was alone in its cgroup, `probable` if the
   * cgroup has other processes.
   */
  explain(who: Who): 'certain' | 'probable' | undefined;
}

/** `root` is the directory that contains /proc and /sys. */
export function createOomKills(root = '/'): OomKills {
  const at = (...names: string[]) => fileText(join(root, ...names));
  const cgroups = new WeakMap<Who, string>();
  /** The counts that are known, by the directory of the cgroup. */
  const counts = new Map<string, number>();
  /** Those that were read in this turn of the event loop. */
  const noted = new Set<string>();
  let mounts: string | undefined;
  let own: string | undefined;
  /** What /proc/<pid>/cgroup says of a process in the same cgroups as this one, as nearly all are. */
  let ownLines: string | undefined;

  function directoryFor(lines: string): string | undefined {
    mounts ??= at('proc/self/mountinfo');
    return cgroupDirectories('memory', lines, mounts).find((path) => countIn(path) !== undefined);
  }

  function countIn(directory: string): number | undefined {
    // v2: of this cgroup alone, since Linux 5.2; of all below it too; v1.
    for (const file of ['memory.events.local', 'memory.events', 'memory.oom_control']) {
      const count = /^oom_kill (\d+)$/m.exec(at(directory, file))?.[1];
      if (count !== undefined) return Number(count);
    }
    return undefined;
  }

  /** Once in a turn of the event loop: a thousand processes are adopted in one. */
  function note(directory: string): void {
    if (noted.has(directory)) return;
    if (noted.size === 0) setImmediate(() => noted.clear());
    noted.add(directory);
    const count = countIn(directory);
    if (count !== undefined) counts.set(directory, count);
  }

  /** A process that is gone too soon to be watched was most likely in the cgroup of this one, as children are. */
  function watchOwn(): void {
    if (own !== undefined) return;
    ownLines = at('proc/self/cgroup');
    own = directoryFor(ownLines) ?? '';
    if (own) note(own);
  }

  return {
    watch(who) {
      watchOwn();
      const lines = at(`proc/${who.pid}/cgroup`);
      const directory = lines === ownLines ? own : directoryFor(lines);
      if (!directory) return;
      cgroups.set(who, directory);
      note(directory);
    },
    explain(who) {
      watchOwn();
      const directory = cgroups.get(who) ?? own ?? '';
      const [before, now] = [counts.get(directory), countIn(directory)];
      if (before === undefined || now === undefined || now <= before) return undefined;
      // Each kill explains one death.
      counts.set(directory, before + 1);
      return at(directory, 'cgroup.procs').trim() === '' ? 'certain' : 'probable';
    },
  };
}
