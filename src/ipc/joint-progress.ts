// The progress of work on several apps, as one line: how many are done, and which are still awaited.
import { count } from '../shared/units.ts';
import type { Report } from './protocol.ts';

/** As many names as fit on a line. */
const mostNames = 3;

/** Runs the work on one app, which reports its own progress. */
export type Tracked = <T>(name: string, work: (report: Report) => Promise<T>) => Promise<T>;

/**
 * Returns a function that runs the work on each of `total` apps. `done`: what an app is afterwards, such as "ready". If there is only one
 * app, `report` receives exactly what its work reports.
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
  const [text = ''] = awaited.values();
  if (awaited.size === 1) return text;
  const names: string[] = [];
  for (const name of awaited.keys()) if (names.push(name) === mostNames) break;
  const more = awaited.size - names.length;
  return `waiting for ${names.join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}
