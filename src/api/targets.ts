// Which apps a call is about.
import { failure } from '../shared/errors.ts';
import type { Targets } from './nsv.ts';

/** All where nothing is said. */
export function any(targets: Targets | undefined): { targets: string[] } {
  return targets === undefined ? { targets: [] } : requireTargets(targets);
}

/** On the wire no words are all there is: an empty list must not stop everything. Throws BAD_USAGE. */
export function requireTargets(targets: Targets): { targets: string[] } {
  const words = targets === undefined ? [] : [targets].flat().map(String);
  if (words.length > 0) return { targets: words };
  throw failure('BAD_USAGE', { detail: 'no target given: name at least one app, or "all"' });
}
