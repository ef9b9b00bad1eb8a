// Watches the event loops of an app's processes from outside. Some times within the limit, each process is looked at. Most have not
// run since they were seen waiting for events, which takes one read of a small file. Only who does not look idle is asked
// whether its loop turns, because an answer wakes it up.
import type { MainThread, RunCount } from '../../../os/blocked/threads.ts';
import type { Clock } from '../../../shared/clock.ts';
import type { Child } from '../../launch/launcher.ts';
import { type Judgement, judgeLoop, type Spared, type Suspicion, suspect, type Times } from './judge.ts';

export type BlockedVerdict = Omit<Extract<Judgement, { kind: 'blocked' }>, 'kind'>;

export interface Online {
  child: Child;
  /** When it was started, by the clock. */
  since: number;
  /** It listens or has said that it is ready, so its program has been loaded. */
  isLoaded: boolean;
}

/** What can be seen of a process from outside. os/blocked has it. */
export interface Sight {
  countRuns(pid: number): Pick<RunCount, 'read' | 'close'>;
  mainThreadOf(pid: number): MainThread | undefined;
  threadTimesOf(pid: number): Times;
  isDebugged(pid: number): boolean;
  /** Whether it stands still because it answers somebody who looks into it. */
  isInspected(child: Child): boolean;
}

export interface LoopWatch {
  clock: Clock;
  /** Milliseconds that a loop may take for one turn. */
  limit: number;
  sight: Sight;
  /** The processes that are online. */
  processes(): readonly Online[];
  /**
   * Asks a process whether its loop turns. `onAnswer` is called with false if the question is lost. Returns a function that
   * withdraws it; undefined if the process cannot be asked.
   */
  ask(child: Child, onAnswer: (turns: boolean) => void): (() => void) | undefined;
  /** Called once for each process. */
  onBlocked(child: Child, verdict: BlockedVerdict): void;
  /** The limit has passed, but for this reason the process is not judged. Called once for each reason, until the loop turns. */
  onSpared(child: Child, reason: Spared): void;
}

/** Looks within the limit. */
const looks = 4;
/** So many of their periods pass between two looks at a process that rests. */
const restPeriods = 2;
/** Milliseconds by which a busy machine may delay a look. */
const usualDelay = 1_000;
/** Milliseconds for a process to connect to this daemon, if another one has started it. */
const returnTime = 3_000;

interface Watched {
  child: Child;
  runs: Pick<RunCount, 'read' | 'close'>;
  dueAt: number;
  /** Before that, a program is being loaded, for as long as that takes. */
  isLoaded: boolean;
  /** How often it had run when it was seen waiting for events. */
  restedAt: number | undefined;
  withdraw: (() => void) | undefined;
  suspicion: Suspicion | undefined;
  reported: Set<Spared>;
  isBlocked: boolean;
}

/** Returns a function that ends the watch. */
export function watchLoops({ clock, limit, sight, processes, ...events }: LoopWatch): () => void {
  const watched = new Map<Child, Watched>();
  const period = limit / looks;
  const began = clock.now();
  let cancel = clock.after(period, lookAround);

  function lookAround(): void {
    const now = clock.now();
    const current = processes().map((online) => watched.get(online.child) ?? begin(online, now));
    const living = new Set(current);
    for (const each of watched.values()) if (!living.has(each)) forget(each);
    for (const each of current) if (each.dueAt <= now && !each.isBlocked) look(each, now);
    const dues = current.flatMap(({ dueAt, isBlocked }) => (isBlocked ? [] : [dueAt]));
    cancel = clock.after(Math.max(1, Math.min(now + period, ...dues) - now), lookAround);
  }

  /** One that is older than this watch has turned before, but may have to find this daemon first. */
  function begin({ child, since, isLoaded }: Online, now: number): Watched {
    const isOlder = since < began;
    const [withdraw, suspicion, restedAt] = [undefined, undefined, undefined];
    const dueAt = isOlder ? Math.max(now, began + returnTime) : now;
    const seen = { restedAt, withdraw, suspicion, reported: new Set<Spared>(), isBlocked: false };
    const entry: Watched = { child, runs: sight.countRuns(child.pid), dueAt, isLoaded: isLoaded || isOlder, ...seen };
    watched.set(child, entry);
    return entry;
  }

  function forget(entry: Watched): void {
    entry.withdraw?.();
    entry.runs.close();
    watched.delete(entry.child);
  }

  function look(entry: Watched, now: number): void {
    const isLate = now - entry.dueAt > Math.max(period, usualDelay);
    entry.dueAt = now + period;
    const { child } = entry;
    const runs = entry.runs.read();
    if (runs !== undefined && runs === entry.restedAt) {
      entry.dueAt = now + restPeriods * period;
      return;
    }
    entry.restedAt = undefined;
    const main = sight.mainThreadOf(child.pid);
    if (!main) return;
    if (main.waitsForEvents) {
      // Read before the state: had it run in between, it would not match again.
      entry.restedAt = runs;
      turned(entry);
      return;
    }
    entry.withdraw ??= ask(entry);
    if (!entry.withdraw || !entry.isLoaded) return;
    if (entry.suspicion) examine(entry, entry.suspicion, main, isLate, now);
    else entry.suspicion = suspect(child.pid, { now, times: sight.threadTimesOf(child.pid) });
  }

  function turned(entry: Watched): void {
    entry.isLoaded = true;
    entry.suspicion = undefined;
    entry.reported.clear();
  }

  function ask(entry: Watched): Watched['withdraw'] {
    return events.ask(entry.child, (turns) => {
      entry.withdraw = undefined;
      entry.suspicion = undefined;
      if (turns) turned(entry);
    });
  }

  function examine(entry: Watched, before: Suspicion, { state }: MainThread, isLate: boolean, now: number): void {
    const { child } = entry;
    const isStopped = state.toUpperCase() === 'T';
    const isDebugged = () => sight.isDebugged(child.pid);
    const judgement = judgeLoop(
      before,
      {
        now,
        isStopped,
        isInspected: sight.isInspected(child),
        isLate,
        isDebugged,
        times: sight.threadTimesOf(child.pid),
      },
      limit,
    );
    if (judgement.kind === 'blocked') {
      entry.isBlocked = true;
      const { forMs, ran } = judgement;
      events.onBlocked(child, { forMs, ran });
      return;
    }
    const { suspicion } = judgement;
    entry.suspicion = suspicion;
    entry.dueAt = now + untilNext(suspicion, now);
    const { spared } = suspicion;
    if (!spared || entry.reported.has(spared)) return;
    entry.reported.add(spared);
    events.onSpared(child, spared);
  }

  /** The second look follows soon, because only an answer that has just arrived can change the verdict. */
  function untilNext({ from, isDue }: Suspicion, now: number): number {
    if (isDue) return period / 2;
    return Math.min(period, Math.max(period / 2, from + limit - now));
  }

  return () => {
    cancel();
    for (const entry of [...watched.values()]) forget(entry);
  };
}
