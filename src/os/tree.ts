// Finds the processes that belong to a managed process. Each managed process is started in its own session, and the
// kernel does not reuse a session id while the session has members. So every process in the session belongs to it,
// orphans of a double fork included. Process groups cannot span sessions and need no extra check. A process that left
// the session (setsid) is found through live parents, because an earlier look found it, or by the mark that it inherited.
import { realClock } from '../shared/clock.ts';
import { processesIn } from './cgroups/app-cgroups.ts';
import { hasProc, type Identity, isSame, isSameProcess, type Stat } from './proc.ts';
import { lookAround, type Processes, type ProcessTable } from './process-table.ts';
import { groupLives, isAlive } from './terminate.ts';
import { isMarked, startedSince, type TreeMark } from './tree-mark.ts';

/** A process with all that belongs to it. */
export interface TreeRoot extends Identity {
  /** What its descendants inherit. If omitted, those that left the session are found through live parents only. */
  readonly tree?: TreeMark | undefined;
  /** The cgroup that it and all its descendants are in. */
  readonly cgroup?: string | undefined;
}

/** Which descendants are found: those started until now, until a moment of this turn of the event loop, or until one before that. */
export type Age = 'new' | 'turn' | 'recent';

/**
 * All live processes (no zombies) that belong to `who`, itself included. `known`: members found earlier, followed even
 * if their parents are gone. Without /proc the result is `who` alone.
 */
export function treeOf(who: TreeRoot, known: readonly Identity[] = [], age: Age = 'new'): Identity[] {
  if (!hasProc) return isAlive(who.pid) ? [who] : [];
  // No process is older than its ancestors or the leader of its session.
  const members = membersOf(sharedTable(age, who.startTime), who, known);
  return members.map(({ pid, startTime }) => ({ pid, startTime })).filter(isSameProcess);
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
  if (!young) return treeOf(who, [], 'turn').length > 0;
  return young.some((stat) => isYounger(stat, who) && isMarked(stat, tree));
}

/**
 * A table of all processes serves for ten times as long as it took. Otherwise a thousand processes that are restarted one after another
 * would need a thousand tables, of 20 ms each.
 */
const restFactor = 10;
/** Milliseconds. Within a second, the kernel does not come round to the same pid: that takes 32,768 forks, or 4 million. */
const longestUse = 1_000;

interface Shared {
  table: ProcessTable;
  since: number;
  isOfThisTurn: boolean;
}

let shared: Shared | undefined;

/** If the shared one does not go back far enough, the next one holds all processes. */
function sharedTable(age: Age, since = 0): Processes {
  if (!shared || shared.since > since) shared = take(shared ? 0 : since);
  else if (age === 'new' || (age === 'turn' && !shared.isOfThisTurn)) shared.table.update();
  else return shared.table;
  const used = shared;
  used.isOfThisTurn = true;
  setImmediate(() => (used.isOfThisTurn = false));
  return used.table;
}

function take(since: number): Shared {
  const begun = realClock.now();
  const taken = { table: lookAround(since), since, isOfThisTurn: false };
  const serves = Math.min(longestUse, restFactor * (realClock.now() - begun));
  realClock.after(serves, () => {
    if (shared === taken) shared = undefined;
  });
  return taken;
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
