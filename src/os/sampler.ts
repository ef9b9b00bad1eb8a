// CPU and memory of managed processes, descendants included. It has no timers and keeps no descriptors, so it costs
// nothing between requests.
//
// With /proc it does not use pidusage, which keeps a descriptor per pid, runs `getconf` twice before its first answer,
// ignores descendants, and fails for all pids when one is gone.
import type { Clock } from '../shared/clock.ts';
import { hasProc, type Identity, isSame, readStat, type Stat, units, uptime } from './proc.ts';
import { lookAround, type Processes } from './process-table.ts';
import { membersOf } from './tree.ts';

/** Usage of a process with all its descendants: CPU in percent of one core, resident memory in bytes. */
export interface Usage {
  cpu: number;
  memory: number;
}

export interface Sample extends Usage {
  /** The process and its descendants. */
  pids: readonly number[];
}

export interface Sampler {
  /** Usage by pid; a process that is gone is left out. Reads all processes once, however many roots there are. */
  sample(roots: readonly Identity[]): Promise<Map<number, Sample>>;
}

/** A measurement that is kept: `at` in milliseconds since 1970. */
export interface Measurement extends Usage {
  at: number;
}

const lastUsages = new WeakMap<Identity, Measurement>();

/** What was last measured of a process, by any sampler; undefined if it never was. */
export function lastUsageOf(who: Identity): Measurement | undefined {
  return lastUsages.get(who);
}

/** Ticks that a tree had used when its CPU share was last calculated. */
interface Mark {
  at: number;
  ticks: number;
  cpu: number;
}

/** Milliseconds. The kernel counts in steps of 10 ms, so a share over a shorter time would be mostly noise. */
const shortest = 250;
/**
 * Milliseconds for which one look at all processes serves further samples, and how many times as long as it took. When a thousand apps
 * become ready, each answer has a sample of its own, and a look at a thousand processes takes 10 to 40 ms.
 */
const lookServes = 100;
const restFactor = 20;

export function createSampler(clock: Clock): Sampler {
  const sample = hasProc ? createProcSample(clock) : sampleElsewhere;
  return {
    async sample(roots) {
      const usages = await sample(roots);
      const at = clock.wall();
      for (const who of roots) {
        const usage = usages.get(who.pid);
        if (usage) lastUsages.set(who, { cpu: usage.cpu, memory: usage.memory, at });
      }
      return usages;
    },
  };
}

interface Look {
  processes: Processes;
  /** Those that started before, in clock ticks since boot, are left out. */
  since: number;
  at: number;
  /** Seconds. */
  sinceBoot: number;
}

function createProcSample(clock: Clock): Sampler['sample'] {
  const marks = new WeakMap<Identity, Mark>();
  let shared: Look | undefined;

  function lookSince(since: number): Look {
    if (shared && shared.since <= since) return shared;
    const isFirst = !shared;
    const begun = clock.now();
    shared = { processes: lookAround(since), since, at: clock.now(), sinceBoot: uptime() ?? 0 };
    const serves = Math.max(lookServes, restFactor * (shared.at - begun));
    if (isFirst) clock.after(serves, () => (shared = undefined));
    return shared;
  }

  /** CPU share since the last sample of this tree, or since its root started. */
  function share(who: Identity, { startTime }: Stat, ticks: number, { at, sinceBoot }: Look): number {
    const last = marks.get(who);
    if (last && at - last.at < shortest) return last.cpu;
    const perSecond = units().ticks;
    const seconds = last ? (at - last.at) / 1000 : sinceBoot - startTime / perSecond;
    // Ticks decrease when a descendant ends that its parent did not wait for: its time is lost.
    const used = Math.max(0, ticks - (last?.ticks ?? 0)) / perSecond;
    const cpu = seconds > 0 ? (used / seconds) * 100 : 0;
    marks.set(who, { at, ticks, cpu });
    return cpu;
  }

  return async (roots) => {
    const usages = new Map<number, Sample>();
    if (roots.length === 0) return usages;
    // No process is older than its ancestors or the leader of its session, so older ones can be skipped.
    const look = lookSince(Math.min(...roots.map(({ startTime }) => startTime ?? 0)));
    for (const who of roots) {
      const members = membersOf(look.processes, who);
      // It may have started since the look.
      if (members.length === 0) members.push(...ownStat(who));
      const root = members.find(({ pid }) => pid === who.pid);
      if (!root) continue;
      const cpu = share(who, root, sum(members, 'cpuTicks'), look);
      const pids = members.map(({ pid }) => pid);
      usages.set(who.pid, { cpu, memory: sum(members, 'pages') * units().pageSize, pids });
    }
    return usages;
  };
}

function ownStat(who: Identity): Stat[] {
  const stat = readStat(who.pid);
  return stat?.alive && isSame(stat, who) ? [stat] : [];
}

function sum(stats: Stat[], key: 'cpuTicks' | 'pages'): number {
  return stats.reduce((total, stat) => total + stat[key], 0);
}

/** Without /proc: one pidusage call per process, as a joint call fails when one is gone. Excludes descendants. */
async function sampleElsewhere(roots: readonly Identity[]): Promise<Map<number, Sample>> {
  const { default: pidusage } = await import('pidusage');
  const results = await Promise.allSettled(roots.map(({ pid }) => pidusage(pid)));
  const usages = results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
  return new Map(usages.map(({ pid, cpu, memory }) => [pid, { cpu, memory, pids: [pid] }]));
}
