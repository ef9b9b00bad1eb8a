// The memory ceiling as an event. Its timer runs only while something is watched.

import type { Sampler } from '../../os/sampler.ts';
import type { Identity } from '../../os/tree.ts';
import type { Clock } from '../../shared/clock.ts';
import { throwUncaught } from '../../shared/throw-uncaught.ts';

export interface MemoryWatch {
  /** Bytes of resident memory of a process and all its descendants; asked at each look, for the cgroup's may change. */
  limit(): number;
  /** The processes to measure now. */
  roots(): readonly Identity[];
  /** Called once each time a process is found above the limit after it was not. */
  onExceeded(root: Identity, memory: number): void;
}

export interface MemoryGuard {
  /** Returns what ends the watch. */
  watch(watch: MemoryWatch): () => void;
}

export interface MemoryGuardDeps {
  clock: Clock;
  /** One of its own: looking every second would leave the figures of `nsv list` no time to mean something. */
  sampler: Sampler;
  /** Milliseconds between two looks; 1000 when left out. */
  every?: number;
}

export function createMemoryGuard({ clock, sampler, every = 1_000 }: MemoryGuardDeps): MemoryGuard {
  const watches = new Set<MemoryWatch>();
  const above = new WeakSet<Identity>();
  let isArmed = false;

  function arm(): void {
    if (isArmed || watches.size === 0) return;
    isArmed = true;
    clock.after(every, () => look().catch(throwUncaught));
  }

  async function look(): Promise<void> {
    try {
      await measure();
    } catch {
      // The machine is out of descriptors or the like: nothing is known this time, and a ceiling can wait a second.
    } finally {
      isArmed = false;
      arm();
    }
  }

  async function measure(): Promise<void> {
    const looks = [...watches].map((watch) => ({ watch, roots: watch.roots() }));
    const usages = await sampler.sample(looks.flatMap(({ roots }) => roots));
    for (const { watch, roots } of looks) {
      if (!watches.has(watch)) continue;
      const limit = watch.limit();
      for (const root of roots) judge(watch, limit, root, usages.get(root.pid)?.memory ?? 0);
    }
  }

  function judge(watch: MemoryWatch, limit: number, root: Identity, memory: number): void {
    if (memory <= limit) above.delete(root);
    else if (!above.has(root)) {
      above.add(root);
      watch.onExceeded(root, memory);
    }
  }

  return {
    watch(watch) {
      watches.add(watch);
      arm();
      return () => void watches.delete(watch);
    },
  };
}
