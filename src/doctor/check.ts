// The type of a check, and helpers to write checks.
import type { Finding } from '../shared/findings.ts';
import { renderDuration } from '../shared/units.ts';
import type { Facts } from './facts.ts';

export type Symptom = Pick<Finding, 'what' | 'remedy'>;

export interface Check {
  level: Finding['level'];
  find(facts: Facts): Symptom[];
}

/** A finding that the user should act on. */
export function problem(find: Check['find']): Check {
  return { level: 'problem', find };
}

/** One that may be left as it is. */
export function advice(find: Check['find']): Check {
  return { level: 'advice', find };
}

export function when(isSo: boolean | undefined, what: string, remedy: string): Symptom[] {
  return isSo ? [{ what, remedy }] : [];
}

export function ago(at: number, now: number): string {
  return `${renderDuration(Math.max(0, now - at))} ago`;
}
