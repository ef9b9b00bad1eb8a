// Which processes belong to a managed one. It was started in a session of its own, and a session id is not given to
// another process while anybody is left in the session (so says the kernel's pid allocation). So whoever is in the
// session belongs to it, orphans of a double fork included; a process group cannot reach beyond its session and needs no
// look of its own. Who left the session (setsid) is found through living parents, or because it was found earlier.
import { allStats, hasProc, isSame, type Stat } from './proc.ts';
import { isAlive } from './terminate.ts';

/** A process, not just a pid: pids are used again, but not with the same start time. */
export interface Identity {
  readonly pid: number;
  /** Clock ticks since boot; undefined where there is no /proc. */
  readonly startTime: number | undefined;
}

/** One picture of all processes. */
export interface Processes {
  readonly byPid: ReadonlyMap<number, Stat>;
  readonly byParent: ReadonlyMap<number, Stat[]>;
  readonly bySession: ReadonlyMap<number, Stat[]>;
}

/** `since`: only processes that began at that time or later, clock ticks since boot. */
export function lookAround(since?: number): Processes {
  const stats = allStats(since);
  return {
    byPid: new Map(stats.map((stat) => [stat.pid, stat])),
    byParent: groupBy(stats, 'parent'),
    bySession: groupBy(stats, 'session'),
  };
}

/**
 * All that lives (no zombies) and belongs to `who`, itself included. `known`: members found earlier, followed even
 * when their parents are gone. `isFresh`: as it is now, and not as it was earlier in this turn of the event loop. Where there
 * is no /proc it is `who` alone.
 */
export function treeOf(who: Identity, known: readonly Identity[] = [], isFresh = true): Identity[] {
  if (!hasProc) return isAlive(who.pid) ? [who] : [];
  const processes = isFresh ? lookAround() : sharedLook();
  return membersOf(processes, who, known).map(({ pid, startTime }) => ({ pid, startTime }));
}

let shared: Processes | undefined;

/** Hundreds of processes may be stopped, or end, in one turn: a look at all of them for each would take seconds. */
function sharedLook(): Processes {
  if (!shared) setImmediate(() => (shared = undefined));
  shared ??= lookAround();
  return shared;
}

export function membersOf(processes: Processes, who: Identity, known: readonly Identity[] = []): Stat[] {
  const { byPid, byParent, bySession } = processes;
  const leader = byPid.get(who.pid);
  const isRecycled = leader !== undefined && !isSame(leader, who);
  const session = isRecycled ? [] : (bySession.get(who.pid) ?? []);
  const members = new Set(session.filter(({ startTime }) => startTime >= (who.startTime ?? 0)));
  for (const identity of [who, ...known]) {
    const stat = byPid.get(identity.pid);
    if (stat && isSame(stat, identity)) members.add(stat);
  }
  // A set hands out what is added to it while it is walked.
  for (const member of members) {
    for (const child of byParent.get(member.pid) ?? []) if (child.startTime >= member.startTime) members.add(child);
  }
  return [...members].filter(({ alive }) => alive);
}

function groupBy(stats: Stat[], key: 'parent' | 'session'): Map<number, Stat[]> {
  const groups = new Map<number, Stat[]>();
  for (const stat of stats) {
    const group = groups.get(stat[key]);
    if (group) group.push(stat);
    else groups.set(stat[key], [stat]);
  }
  return groups;
}
