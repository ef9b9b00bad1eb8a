// The type of a check, and helpers to write checks.
import type { Finding } from '../shared/findings.ts';
import { renderDuration } from '../shared/units.ts';
import type { Facts } from './facts.ts';

export type Found = Pick<Finding, 'what' | 'remedy'>;

export interface Check {
  level: Finding['level'];
  find(facts: Facts): Found[];
}

/** A finding that the user should act on. */
export function problem(find: Check['find']): Check {
  return { level: 'problem', find };
}

/** One that may be left as it is. */
export function advice(find: Check['find']): Check {
  return { level: 'advice', find };
}

export function when(isSo: boolean | undefined, what: string, remedy: string): Found[] {
  return isSo ? [{ what, remedy }] : [];
}

export function ago(at: number, now: number): string {
  return `${renderDuration(Math.max(0, now - at))} ago`;
}

/** `1 app`, `2 apps`. */
export function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : noun.endsWith('s') ? 'es' : 's'}`;
}

/** The first few names, to keep the line short. */
export function firstFew(names: readonly string[]): string {
  return names.length > 5 ? `${names.slice(0, 5).join(', ')} and ${names.length - 5} more` : names.join(', ');
}
