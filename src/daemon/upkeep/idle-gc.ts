// The heap after a burst of work. V8 lets garbage grow with the heap, and keeps what it has once asked the system for:
// 300 apps started one by one left 30 kB each, 9 kB of them alive. Full collections, once all is quiet again, return the
// rest. They take 15 ms or so, which is why they wait for the quiet and do not come for a trifle. In the midst of work (a
// crash loop) V8's own collections do as well with less; what they leave is returned when it is over.
import { getHeapStatistics } from 'node:v8';
import type { Clock } from '../../shared/clock.ts';
import type { EventBus } from '../events.ts';
import { garbageCollector } from './v8-flags.ts';

/** Milliseconds between two looks at the heap. */
const every = 500;
/** Milliseconds from the first spawn until the reply to the command that does not wait for more is out. */
const afterReply = 10;
/** Bytes in use more or less since the last look while all is quiet: what an event or two may leave. */
const trifle = 300_000;
/** Bytes that the heap must hold beyond what the last collection left to make one worthwhile: more than a few commands do. */
const worthwhile = 3_000_000;

export interface Heap {
  /** `used` is held by objects, dead ones included; `held` is what the system has given for them. */
  size(): { used: number; held: number };
  collect(): void;
}

/** The heap of this process, which is to be thrifty by the time of the first collection. */
export function ownHeap(): Heap {
  let gc: NodeJS.GCFunction | undefined;
  return {
    size: sizeOfHeap,
    collect() {
      gc ??= garbageCollector();
      collectAll(gc);
    },
  };
}

/** Not `process.memoryUsage()`: that opens a file, and throws where there is no /proc, or no descriptor left. */
function sizeOfHeap(): { used: number; held: number } {
  const { used_heap_size: used, total_heap_size: held } = getHeapStatistics();
  return { used, held };
}

/** From Node 22 on, V8 keeps a pool of the pages it has emptied; the last resort gives them back. Before, it is a minor one. */
function collectAll(gc: NodeJS.GCFunction): void {
  gc();
  gc({ type: 'major', execution: 'sync', flavor: 'last-resort' });
}

/** Returns a function to call at each piece of work that is no event. */
export function collectWhenIdle(clock: Clock, heap: Heap, events: EventBus): () => void {
  let { held: left, used: seen } = heap.size();
  let isWatching = false;

  function collect(): void {
    heap.collect();
    ({ held: left, used: seen } = heap.size());
  }

  function look(): void {
    const { used, held } = heap.size();
    isWatching = Math.abs(used - seen) > trifle;
    seen = used;
    if (isWatching) clock.after(every, look);
    else if (held - left >= worthwhile) collect();
  }

  function worked(): void {
    if (isWatching) return;
    isWatching = true;
    clock.after(every, look);
  }

  events.subscribe(worked);
  // What our own loading has left goes while the first process is loading: then nobody waits for us.
  const forget = events.subscribe(({ type }) => {
    if (type !== 'started') return;
    forget();
    clock.after(afterReply, collect);
  });
  return worked;
}
