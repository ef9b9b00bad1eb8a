// Reports processes that exceed the memory limit. Its timer runs only while something is watched.
import type { Identity } from '../../os/proc.ts';
import type { Sampler } from '../../os/sampler.ts';
import type { Clock } from '../../shared/clock.ts';
import { throwUncaught } from '../../shared/throw-uncaught.ts';

export interface MemoryWatch {
  /** Bytes of resident memory of a process and its descendants. Called at each check: the cgroup's limit may change. */
  limit(): number;
  /** The processes to measure now. */
  roots(): readonly Identity[];
  /** Called each time a process rises above the limit. */
  onExceeded(root: Identity, memory: number): void;
}

export type MemoryGuard = ReturnType<typeof createMemoryGuard>;

export interface MemoryGuardDeps {
  clock: Clock;
  /** A sampler of its own: a check every second would make the interval of `nsv list` too short for useful figures. */
  sampler: Sampler;
  /** Milliseconds between two checks. Default 1000. */
  every?: number;
}

export function createMemoryGuard({ clock, sampler, every = 1_000 }: MemoryGuardDeps) {
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
      // The machine is out of descriptors or the like: nothing was measured this time, and the limit can wait a second.
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
    /** Returns a function that ends the watch. */
    watch(watch: MemoryWatch): () => void {
      watches.add(watch);
      arm();
      return () => void watches.delete(watch);
    },
  };
}
