// The heap after a burst of work. V8 lets garbage grow with the heap and gives no page of it back that holds one object:
// 300 apps started one by one left 30 kB each, 9 kB of them alive. A full collection that compacts returns the rest. It
// takes 15 ms or so, which is why it waits until all is quiet again and does not come for a trifle. In the midst of work
// (a crash loop) V8's own collections do as well with less.
import type { Clock } from '../shared/clock.ts';

/** Milliseconds without work that count as quiet. */
const quiet = 500;
/** Bytes that the heap must have grown since the last collection to make one worthwhile. */
const worthwhile = 1_000_000;

export interface Heap {
  used(): number;
  collect(): void;
}

/** The heap of this process; undefined where Node was started without `--expose-gc`. */
export function ownHeap(): Heap | undefined {
  const { gc } = globalThis;
  return gc && { used: () => process.memoryUsage().heapUsed, collect: () => collect(gc) };
}

/** From Node 22 on, V8 keeps a pool of the pages it has emptied; the last resort gives them back. Before, it is a minor one. */
function collect(gc: NodeJS.GCFunction): void {
  gc();
  gc({ type: 'major', execution: 'sync', flavor: 'last-resort' });
}

/** Returns a function to call at each piece of work. */
export function tidyWhenQuiet(clock: Clock, heap: Heap): () => void {
  let left = 0;
  let isWaiting = false;
  let worked = false;

  const look = () => {
    isWaiting = worked;
    if (worked) return wait();
    if (heap.used() - left < worthwhile) return;
    heap.collect();
    left = heap.used();
  };
  const wait = () => {
    worked = false;
    clock.after(quiet, look);
  };

  return () => {
    worked = true;
    if (isWaiting) return;
    isWaiting = true;
    wait();
  };
}
