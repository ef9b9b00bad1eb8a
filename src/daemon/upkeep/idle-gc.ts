// Returns heap memory to the system after a burst of work. V8 lets garbage grow with the heap, and keeps memory that it
// has once requested: 300 apps started one by one left 30 kB each, 9 kB of them alive. Full collections return the
// rest. They take about 30 ms, so they wait until the daemon is idle and there is enough to return. During work (a
// crash loop), V8's own collections do as well at less cost; what they leave is returned when the work is over.
import { getHeapStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { Clock } from '../../shared/clock.ts';
import type { EventBus } from '../events.ts';

/** Milliseconds between two checks of the heap. */
const every = 500;
/** Bytes by which the used heap may change between two checks while idle: what an event or two may leave. */
const trifle = 300_000;
/** Bytes by which the heap must have grown since the last collection for another: more than a few commands take. */
const worthwhile = 2_000_000;

export interface Heap {
  /** `used`: held by objects, dead ones included. `held`: memory that the system has given for them. */
  size(): { used: number; held: number };
  collect(): void;
}

/** The heap of this process. */
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

/** Not `process.memoryUsage()`: that opens a file, and throws if there is no /proc or no free descriptor. */
function sizeOfHeap(): { used: number; held: number } {
  const { used_heap_size: used, total_heap_size: held } = getHeapStatistics();
  return { used, held };
}

const poolsPages = Number.parseInt(process.versions.node, 10) >= 22;

/**
 * Twice: the first collection finds the pages that are worth emptying, the second empties them. From Node 22, V8 pools the pages it has
 * emptied; `last-resort` returns them. Before, it is a minor collection.
 */
function collectAll(gc: NodeJS.GCFunction): void {
  gc();
  if (poolsPages) gc({ type: 'major', execution: 'sync', flavor: 'last-resort' });
  else gc();
}

/** Returns a function to call for each piece of work that emits no event. */
export function collectWhenIdle(clock: Clock, heap: Heap, events: EventBus): () => void {
  /** Bytes. 0 before the first collection, so that the garbage of the daemon's own startup is collected at the first rest. */
  let left = 0;
  let seen = heap.size().used;
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
  return worked;
}

/**
 * For a process that should stay small, and need not be fast at arithmetic: no optimizing compiler, whose own memory is more than the
 * daemon's heap; and a heap that grows reluctantly. Measured with bench/memory.mjs and bench/crash-loop.mjs.
 *
 * Nor does it compile in other threads, as Node 24 does by default: when that heap is full, such a thread waits until the main thread
 * collects garbage, while `process.exit` in the main thread waits for it. With the other flags alone, 6 of 120 processes that exited
 * amid much compiling never ended (Node 24.22).
 */
const flags = ['--no-opt', '--no-maglev', '--optimize-for-size', '--no-concurrent-sparkplug'];

/**
 * Call it when everything is loaded. On the command line, these flags would cost half of Node's startup time: Node
 * ships compiled code of its own modules, which V8 accepts only with the flags it was compiled with.
 */
export function setV8Flags(): void {
  for (const flag of flags) setFlagsFromString(flag);
}

/** Only contexts that are created after the flag was set have `gc`. */
function garbageCollector(): NodeJS.GCFunction {
  setFlagsFromString('--expose-gc');
  return runInNewContext('gc') as NodeJS.GCFunction;
}
