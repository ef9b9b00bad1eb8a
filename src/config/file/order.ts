// The start order of apps that depend on each other. Pure.

export interface Dependent {
  name: string;
  dependsOn: readonly string[];
}

/** Returns the names of a cycle, with the first one repeated at the end; undefined if there is none. */
export function findCycle(apps: readonly Dependent[]): string[] | undefined {
  const byName = new Map(apps.map((app) => [app.name, app]));
  const done = new Set<string>();

  function visit(name: string, trail: readonly string[]): string[] | undefined {
    if (trail.includes(name)) return [...trail.slice(trail.indexOf(name)), name];
    if (done.has(name)) return undefined;
    for (const next of byName.get(name)?.dependsOn ?? []) {
      const cycle = visit(next, [...trail, name]);
      if (cycle) return cycle;
    }
    done.add(name);
    return undefined;
  }
  for (const { name } of apps) {
    const cycle = visit(name, []);
    if (cycle) return cycle;
  }
  return undefined;
}

/** Whether an app is the other one, or depends on it, directly or through others. */
export function leadsTo(name: string, other: string, dependsOn: (name: string) => readonly string[]): boolean {
  const found = new Set([name]);
  // Iterating over a set includes members that are added on the way.
  for (const next of found) for (const needed of dependsOn(next)) found.add(needed);
  return found.has(other);
}

export type Fate<R> = { done: R } | { failed: unknown } | { skipped: string };

/**
 * Runs a job for each app in parallel, but after the jobs of its dependencies; skips an app if one of its dependencies
 * failed. Ignores dependencies that are not among the apps. Never rejects.
 */
export function inOrder<A extends Dependent, R>(apps: readonly A[], job: (app: A) => Promise<R>): Promise<Fate<R>[]> {
  const fates = new Map<string, Promise<Fate<R>>>();
  const byName = new Map(apps.map((app) => [app.name, app]));

  function fateOf(app: A): Promise<Fate<R>> {
    const known = fates.get(app.name);
    if (known) return known;
    const fate = decide(app);
    fates.set(app.name, fate);
    return fate;
  }

  async function decide(app: A): Promise<Fate<R>> {
    for (const name of app.dependsOn) {
      const needed = byName.get(name);
      if (needed && !('done' in (await fateOf(needed)))) return { skipped: name };
    }
    try {
      return { done: await job(app) };
    } catch (failed) {
      return { failed };
    }
  }
  return Promise.all(apps.map(fateOf));
}
