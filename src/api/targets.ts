// The targets of a call.
import { failure } from '../shared/errors.ts';
import type { Targets } from './nsv.ts';

/** No targets mean all. */
export function any(targets: Targets | undefined): { targets: string[] } {
  return targets === undefined ? { targets: [] } : requireTargets(targets);
}

/** On the wire, an empty list means all, so an empty list of the caller must not stop everything. Throws BAD_USAGE. */
export function requireTargets(targets: Targets): { targets: string[] } {
  const words = targets === undefined ? [] : [targets].flat().map(String);
  if (words.length > 0) return { targets: words };
  throw failure('BAD_USAGE', { detail: 'no target given: name at least one app, or "all"' });
}
