// Finds the processes that belong to a managed process. Each managed process is started in its own session, and the
// kernel does not reuse a session id while the session has members. So every process in the session belongs to it,
// orphans of a double fork included. Process groups cannot span sessions and need no extra check. A process that left
// the session (setsid) is found through live parents, because an earlier look found it, or by the mark that it inherited.
import { realClock } from '../shared/clock.ts';
import { processesIn } from './cgroups/app-cgroups.ts';
import { allStats, hasProc, type Identity, isSame, type Stat } from './proc.ts';
import { groupLives, isAlive } from './terminate.ts';
import { groupByToken, isMarked, startedSince, type TreeMark } from './tree-mark.ts';

/** A process with all that belongs to it. */
export interface TreeRoot extends Identity {
  /** What its descendants inherit. If omitted, those that left the session are found through live parents only. */
  readonly tree?: TreeMark | undefined;
  /** The cgroup that it and all its descendants are in. */
  readonly cgroup?: string | undefined;
}

/** A snapshot of all processes. */
export interface Processes {
  readonly byPid: ReadonlyMap<number, Stat>;
  readonly byParent: ReadonlyMap<number, Stat[]>;
  readonly bySession: ReadonlyMap<number, Stat[]>;
  /** Processes that carry the mark of some tree. Reads environments, but only when it is called. */
  byToken(): ReadonlyMap<string, Stat[]>;
}

/** Takes a snapshot of all processes, or of those started at `since` (clock ticks since boot) or later. */
export function lookAround(since?: number): Processes {
  const stats = allStats(since);
  let byToken: ReadonlyMap<string, Stat[]> | undefined;
  return {
    byPid: new Map(stats.map((stat) => [stat.pid, stat])),
    byParent: groupBy(stats, 'parent'),
    bySession: groupBy(stats, 'session'),
    byToken() {
      byToken ??= groupByToken(stats);
      return byToken;
    },
  };
}

/** How old the snapshot may be: a new one, one of this turn of the event loop, or one of a moment before that. */
export type Age = 'new' | 'turn' | 'recent';

/**
 * All live processes (no zombies) that belong to `who`, itself included. `known`: members found earlier, followed even
 * if their parents are gone. Without /proc the result is `who` alone.
 */
export function treeOf(who: TreeRoot, known: readonly Identity[] = [], age: Age = 'new'): Identity[] {
  if (!hasProc) return isAlive(who.pid) ? [who] : [];
  // No process is older than its ancestors or the leader of its session.
  const processes = age === 'new' ? lookAround(who.startTime) : sharedLook(age, who.startTime);
  return membersOf(processes, who, known).map(({ pid, startTime }) => ({ pid, startTime }));
}

/**
 * Whether a process that has ended may have left anything behind. Takes one system call if it has lived only for a
 * moment (`age` in milliseconds) and nothing was started meanwhile, which keeps a crash loop cheap. Without a mark it
 * misses children that have left the process group, as those of interactive shells do.
 */
export function mayHaveLeft(who: TreeRoot, age: number): boolean {
  const young = hasProc ? startedSince(who.pid, age) : undefined;
  if (young?.length === 0) return false;
  if (groupLives(who.pid) || (who.cgroup !== undefined && processesIn(who.cgroup).length > 0)) return true;
  const { tree } = who;
  if (!tree || !hasProc) return false;
  if (!young) return membersOf(sharedLook('turn', who.startTime), who).length > 0;
  return young.some((stat) => isYounger(stat, who) && isMarked(stat, tree));
}

interface Shared {
  processes: Processes;
  since: number;
  isOfThisTurn: boolean;
}

let shared: Shared | undefined;

/** How many times as long as it took a snapshot may serve as a recent one. */
const restFactor = 10;

/**
 * A snapshot for each of hundreds of stopping processes takes seconds. If the shared one does not go back far enough, the next one holds
 * all processes.
 */
function sharedLook(age: 'turn' | 'recent', since = 0): Processes {
  if (shared && (shared.isOfThisTurn || age === 'recent') && shared.since <= since) return shared.processes;
  const from = shared?.isOfThisTurn ? 0 : since;
  const begun = realClock.now();
  const look: Shared = { processes: lookAround(from), since: from, isOfThisTurn: true };
  const serves = restFactor * (realClock.now() - begun);
  shared = look;
  setImmediate(() => {
    look.isOfThisTurn = false;
    realClock.after(serves, () => {
      if (shared === look) shared = undefined;
    });
  });
  return look.processes;
}

export function membersOf(processes: Processes, who: TreeRoot, known: readonly Identity[] = []): Stat[] {
  const { byPid, byParent, bySession } = processes;
  const leader = byPid.get(who.pid);
  const isRecycled = leader !== undefined && !isSame(leader, who);
  const session = isRecycled ? [] : (bySession.get(who.pid) ?? []);
  const members = new Set([...session.filter((stat) => isYounger(stat, who)), ...markedIn(processes, who)]);
  for (const pid of who.cgroup === undefined ? [] : processesIn(who.cgroup)) {
    const stat = byPid.get(pid);
    if (stat) members.add(stat);
  }
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

/** Those of the session are known already. */
function markedIn(processes: Processes, who: TreeRoot): Stat[] {
  const { tree } = who;
  const carriers = (tree && processes.byToken().get(tree.token)) ?? [];
  return carriers.filter((stat) => tree && stat.session !== who.pid && isYounger(stat, who) && isMarked(stat, tree));
}

function isYounger({ startTime }: Stat, who: Identity): boolean {
  return startTime >= (who.startTime ?? 0);
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
