// The progress of work on several apps, told as that of one call: how many are done, and which are awaited.
import { count } from '../shared/units.ts';
import type { Report } from './protocol.ts';

/** As many names as fit on a line. */
const mostNames = 3;

/** Runs the work on one app. Its `report` receives what that waits for. */
export type Tracked = <T>(name: string, work: (report: Report) => Promise<T>) => Promise<T>;

/**
 * Returns what runs the work on each of `total` apps. `done`: what they are afterwards, for example "ready". Of a single one, `report`
 * receives all that it reports itself, and nothing else.
 */
export function jointProgress(total: number, done: string, report: Report): Tracked {
  if (total === 1) return (_name, work) => work(report);
  /** What each app waits for, by its name, since its work has begun. */
  const awaited = new Map<string, string>();
  let settled = 0;
  let failed = 0;

  function tell(): void {
    const failures = failed > 0 ? `, ${failed} failed` : '';
    const summary = `${settled - failed} of ${count(total, 'app')} ${done}${failures}`;
    if (settled < total) report(awaited.size > 0 ? `${summary}; ${describe(awaited)}` : summary);
  }

  return async (name, work) => {
    awaited.set(name, `waiting for ${name}`);
    try {
      return await work((text, isLasting = false) => {
        if (isLasting) return report(text, true);
        awaited.set(name, text);
        tell();
      });
    } catch (error) {
      failed += 1;
      throw error;
    } finally {
      settled += 1;
      awaited.delete(name);
      tell();
    }
  };
}

/** Of a single one, what it waits for itself. */
function describe(awaited: ReadonlyMap<string, string>): string {
  const [first, ...others] = awaited.values();
  if (first !== undefined && others.length === 0) return first;
  const names = [...awaited.keys()];
  const more = names.length - mostNames;
  const shown = names.slice(0, mostNames).join(', ');
  return `waiting for ${shown}${more > 0 ? ` and ${more} more` : ''}`;
}
