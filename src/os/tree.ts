// Finds the processes that belong to a managed process. Each managed process is started in its own session, and the
// kernel does not reuse a session id while the session has members. So every process in the session belongs to it,
// orphans of a double fork included. Process groups cannot span sessions and need no extra check. A process that left
// the session (setsid) is found through live parents, or because an earlier look found it.
import { allStats, hasProc, isSame, type Stat } from './proc.ts';
import { isAlive } from './terminate.ts';

/** Identifies a process: pids are reused, but not with the same start time. */
export interface Identity {
  readonly pid: number;
  /** Clock ticks since boot; undefined without /proc. */
  readonly startTime: number | undefined;
}

/** A snapshot of all processes. */
export interface Processes {
  readonly byPid: ReadonlyMap<number, Stat>;
  readonly byParent: ReadonlyMap<number, Stat[]>;
  readonly bySession: ReadonlyMap<number, Stat[]>;
}

/** Takes a snapshot of all processes, or of those started at `since` (clock ticks since boot) or later. */
export function lookAround(since?: number): Processes {
  const stats = allStats(since);
  return {
    byPid: new Map(stats.map((stat) => [stat.pid, stat])),
    byParent: groupBy(stats, 'parent'),
    bySession: groupBy(stats, 'session'),
  };
}

/**
 * All live processes (no zombies) that belong to `who`, itself included. `known`: members found earlier, followed even
 * if their parents are gone. `isFresh`: take a new snapshot instead of sharing the one of this turn of the event loop.
 * Without /proc the result is `who` alone.
 */
export function treeOf(who: Identity, known: readonly Identity[] = [], isFresh = true): Identity[] {
  if (!hasProc) return isAlive(who.pid) ? [who] : [];
  const processes = isFresh ? lookAround() : sharedLook();
  return membersOf(processes, who, known).map(({ pid, startTime }) => ({ pid, startTime }));
}

let shared: Processes | undefined;

/** Shared within a turn of the event loop: a snapshot for each of hundreds of stopping processes takes seconds. */
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
  // Iterating over a set includes members that are added on the way.
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
