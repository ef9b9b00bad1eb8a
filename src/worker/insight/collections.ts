// The heap in use after full garbage collections: what an app really keeps. No collection is caused; nothing wakes the event loop
// but collections.
import { constants, PerformanceObserver } from 'node:perf_hooks';
import { getHeapStatistics } from 'node:v8';
import type { Inspection } from './inspection.ts';

/**
 * Each part is `{ used, limit }` in bytes: the lowest use after a full collection since the part before, null if there was
 * none, and the limit. `above`: a share of that limit; then the only part comes when the use after a collection is above it.
 */
export async function* collections(above: number, inspection: Inspection): AsyncGenerator<string> {
  let lowest: number | null = null;
  let notify = () => {};
  const limit = limitOfOldObjects();
  const isAbove = () => lowest !== null && lowest > above * limit;
  const observer = new PerformanceObserver((list) => {
    const isFull = list.getEntries().some((entry) => kindOf(entry) === constants.NODE_PERFORMANCE_GC_MAJOR);
    if (!isFull) return;
    const { used_heap_size: used } = getHeapStatistics();
    lowest = above > 0 ? used : Math.min(used, lowest ?? used);
    notify();
  });
  observer.observe({ entryTypes: ['gc'] });
  const closed = new Promise<void>((resolve) => {
    inspection.onClose(() => {
      observer.disconnect();
      resolve();
    });
  });
  if (above > 0) {
    const exceeded = new Promise<void>((resolve) => {
      notify = () => isAbove() && resolve();
    });
    await Promise.race([exceeded, closed]);
    yield JSON.stringify({ used: lowest, limit });
    return;
  }
  for (;;) {
    const used = lowest;
    lowest = null;
    yield JSON.stringify({ used, limit });
  }
}

/** Bytes. The space for new objects that V8 adds to its limit: 48 MB in Node 20 and 22, 192 in 24, 96 in 26. */
const mostForNewObjects = 192 * 1024 * 1024;

/**
 * V8 ends the process when objects that have survived fill their own space, long before its `heap_size_limit` if that is small.
 * Only the flag tells the exact size; without it, the result may be too low, but not too high.
 */
function limitOfOldObjects(): number {
  const words = [process.env.NODE_OPTIONS ?? '', ...process.execArgv].join(' ');
  const megabytes = [...words.matchAll(/--max[-_]old[-_]space[-_]size[= ](\d+)/g)].at(-1)?.[1];
  if (megabytes !== undefined && Number(megabytes) > 0) return Number(megabytes) * 1024 * 1024;
  const { heap_size_limit: all } = getHeapStatistics();
  return all - Math.min(mostForNewObjects, Math.round(all / 4));
}

function kindOf(entry: object): unknown {
  return (entry as { detail?: { kind?: number } }).detail?.kind;
}
