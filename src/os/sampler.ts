// CPU and memory of managed processes, each with all its descendants. No timers, no descriptors kept: a daemon that
// nobody asks does nothing.
//
// Not through pidusage where there is /proc: it keeps a descriptor for each pid, runs `getconf` twice before its first
// answer, knows nothing of descendants, and fails for all pids when one is gone.

import type { Clock } from '../shared/clock.ts';
import { hasProc, type Stat, startTimeOf, units, uptime } from './proc.ts';
import { type Identity, lookAround, membersOf } from './tree.ts';

/** Of a process with all its descendants: CPU in percent of one core, resident memory in bytes. */
export interface Usage {
  cpu: number;
  memory: number;
}

export interface Sampler {
  /** By pid; one that is gone is left out and spoils nothing. One look at all processes, however many roots there are. */
  sample(roots: readonly Identity[]): Promise<Map<number, Usage>>;
}

/** What a tree had used when its CPU share was last worked out. */
interface Mark {
  startTime: number;
  at: number;
  ticks: number;
  cpu: number;
}

/** The kernel counts in steps of 10 ms: a share worked out over a shorter time than this would be mostly noise. */
const shortest = 250;

export function createSampler(clock: Clock): Sampler {
  return { sample: hasProc ? createProcSample(clock) : sampleElsewhere };
}

function createProcSample(clock: Clock): Sampler['sample'] {
  const marks = new Map<number, Mark>();

  /** CPU share since the last look at this tree, or since its first process began. */
  function share(root: Stat, ticks: number, sinceBoot: number): number {
    const at = clock.now();
    const last = marks.get(root.pid);
    const isKnown = last?.startTime === root.startTime;
    if (isKnown && at - last.at < shortest) return last.cpu;
    const perSecond = units().ticks;
    const seconds = isKnown ? (at - last.at) / 1000 : sinceBoot - root.startTime / perSecond;
    // Less than before: a descendant ended that nobody of the tree waited for, and its time went with it.
    const used = Math.max(0, ticks - (isKnown ? last.ticks : 0)) / perSecond;
    const cpu = seconds > 0 ? (used / seconds) * 100 : 0;
    marks.set(root.pid, { startTime: root.startTime, at, ticks, cpu });
    return cpu;
  }

  return async (roots) => {
    const usages = new Map<number, Usage>();
    if (roots.length === 0) return usages;
    // Nobody is older than the process that it descends from, or than the leader of its session.
    const processes = lookAround(Math.min(...roots.map(({ startTime }) => startTime ?? 0)));
    const sinceBoot = uptime() ?? 0;
    for (const [pid, { startTime }] of marks) {
      if (!processes.byPid.has(pid) && startTimeOf(pid) !== startTime) marks.delete(pid);
    }
    for (const who of roots) {
      const members = membersOf(processes, who);
      const root = members.find(({ pid }) => pid === who.pid);
      if (!root) continue;
      const cpu = share(root, sum(members, 'cpuTicks'), sinceBoot);
      usages.set(who.pid, { cpu, memory: sum(members, 'pages') * units().pageSize });
    }
    return usages;
  };
}

function sum(stats: Stat[], key: 'cpuTicks' | 'pages'): number {
  return stats.reduce((total, stat) => total + stat[key], 0);
}

/** Where there is no /proc: each process on its own, as pidusage fails for all when one is gone; without descendants. */
async function sampleElsewhere(roots: readonly Identity[]): Promise<Map<number, Usage>> {
  const { default: pidusage } = await import('pidusage');
  const results = await Promise.allSettled(roots.map(({ pid }) => pidusage(pid)));
  const usages = results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
  return new Map(usages.map(({ pid, cpu, memory }) => [pid, { cpu, memory }]));
}
