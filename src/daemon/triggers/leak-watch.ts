// Notices memory that keeps growing before it becomes a restart. Of Node programs it is the heap after full collections, which the
// processes report; of other programs the resident memory.
import type { AppSpec } from '../../config/app-spec.ts';
import { bytesOf, leakWindowOf } from '../../config/memory.ts';
import { leakWindows } from '../../config/options/limit-fields.ts';
import { heapShareOf, type SizeOrShare } from '../../config/options/parsers.ts';
import type { Sampler } from '../../os/sampler.ts';
import type { Clock } from '../../shared/clock.ts';
import { throwUncaught } from '../../shared/throw-uncaught.ts';
import type { Group } from '../apps/group.ts';
import type { Child } from '../launch/launcher.ts';
import { type Level, leakIn } from './growth.ts';
import { createHeapQuestions, type HeapLevel } from './heap-questions.ts';

/** Looks per window at the resident memory. */
const looks = 6;

export interface Leak {
  /** Bytes. */
  perHour: number;
  /** Milliseconds until the memory reaches its limit at that speed; null without a limit. */
  left: number | null;
}

interface Series {
  levels: Level[];
  /** The least resident memory in this window. */
  lowest: number;
  /** That of the last complete window. */
  resident: number;
  heap?: HeapLevel & { used: number };
}

const leaks = new WeakMap<Child, Leak>();

/** The leak of a process, while it shows. */
export function leakOf(child: Child): Leak | undefined {
  return leaks.get(child);
}

/** Returns a function that ends the watch. */
export function watchLeaks(group: Group, { clock, sampler }: { clock: Clock; sampler: Sampler }): () => void {
  const window = leakWindowOf(group.spec);
  const children = () => group.processes.flatMap(({ child }) => child ?? []);
  const all = new WeakMap<Child, Series>();
  let looked = 0;
  let cancel = () => {};
  let isOver = false;

  const questions = createHeapQuestions({ kind: 'collections', above: 0 }, (child, { used, limit }) => {
    const series = all.get(child);
    if (!series || used === null) return;
    series.heap = { used, limit };
    add(child, series, used);
  });

  function add(child: Child, series: Series, bytes: number): void {
    series.levels = [...series.levels, { at: clock.now(), bytes }].slice(-leakWindows);
    const perHour = leakIn(series.levels);
    if (perHour === undefined) {
      leaks.delete(child);
      return;
    }
    const leak = { perHour, left: timeLeft(perHour, series, group.spec) };
    const isNew = !leaks.has(child);
    leaks.set(child, leak);
    if (!isNew) return;
    const { id, slot } = child.plan;
    group.emit({ type: 'leak', app: group.name, id, slot, pid: child.pid, ...leak, perHour: Math.round(perHour) });
  }

  function seriesOf(child: Child): Series {
    const series = all.get(child) ?? { levels: [], lowest: Number.POSITIVE_INFINITY, resident: 0 };
    all.set(child, series);
    return series;
  }

  async function look(): Promise<void> {
    looked += 1;
    const isEnd = looked % looks === 0;
    // Out of descriptors or the like: nothing was measured this time.
    const usages = await sampler.sample(children()).catch(() => undefined);
    if (isOver) return;
    for (const child of children()) {
      const series = seriesOf(child);
      const { memory } = usages?.get(child.pid) ?? {};
      if (memory !== undefined) series.lowest = Math.min(series.lowest, memory);
      if (isEnd) endWindow(child, series);
      if (child.plan.spec.node) questions.ask(child);
    }
    arm();
  }

  function endWindow(child: Child, series: Series): void {
    if (series.lowest === Number.POSITIVE_INFINITY) return;
    series.resident = series.lowest;
    series.lowest = Number.POSITIVE_INFINITY;
    if (child.plan.spec.node) questions.more(child);
    else add(child, series, series.resident);
  }

  function arm(): void {
    cancel = clock.after(window / looks, () => look().catch(throwUncaught));
  }

  arm();
  return () => {
    isOver = true;
    cancel();
    questions.close();
  };
}

/** Without a limit of the app's, a Node process ends at that of V8. */
function timeLeft(perHour: number, { resident, heap }: Series, { maxMemoryRestart: ceiling }: AppSpec): number | null {
  const heapShare = heapShareOf(ceiling);
  const isMemory = ceiling !== undefined && heapShare === undefined;
  const rooms = [
    ...(isMemory ? [bytesOf(ceiling as SizeOrShare) - resident] : []),
    ...(heap ? [heap.limit * (heapShare ?? 1) - heap.used] : []),
  ];
  return rooms.length === 0 ? null : (Math.max(0, Math.min(...rooms)) / perHour) * 3_600_000;
}
