// Waiting for a fact, instead of for a time.
import { AsyncLocalStorage } from 'node:async_hooks';
import { setTimeout as after } from 'node:timers/promises';
import { inspect } from 'node:util';

/** Far longer than anything takes on a busy machine, and well below the limit of a test, which could not say what is missing. */
const deadline = 120_000;
const [firstPause, longestPause] = [5, 100];

type Nothing = undefined | null | false;
const sightings = new AsyncLocalStorage<Map<string, unknown>>();

/**
 * Looks again and again until `look` returns something: neither `undefined`, `null` nor `false`. Resolves with that. What `look`
 * throws ends the wait. `what` says what is awaited; by default it is the text of `look`.
 * After two minutes it throws, with what was seen last.
 */
export async function eventually<T>(
  look: () => T | Nothing | Promise<T | Nothing>,
  what = String(look),
  limit = deadline,
): Promise<T> {
  const begin = performance.now();
  for (let pause = firstPause; ; pause = Math.min(pause * 1.5, longestPause)) {
    const seen = new Map<string, unknown>();
    const found = await sightings.run(seen, look);
    if (found !== undefined && found !== null && found !== false) return found;
    if (performance.now() - begin > limit) throw new Error(missing(what, limit, found, seen));
    await after(pause);
  }
}

/** Has the error of a wait that is in vain show what a look has come across, besides what it returned. */
export function sees<T>(name: string, value: T): T {
  sightings.getStore()?.set(name, value);
  return value;
}

function missing(what: string, limit: number, found: unknown, seen: Map<string, unknown>): string {
  const last = [['returned', found], ...seen].map(([name, value]) => `  ${name}: ${inspect(value, { depth: 4 })}`);
  return [`waited in vain for ${limit / 1000} s: ${what}`, 'the last look', ...last].join('\n');
}
