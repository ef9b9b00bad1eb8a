// All checks by name, each from facts to problems and their remedies. Pure.
import type { Finding } from '../shared/findings.ts';
import { appChecks } from './app-checks.ts';
import type { Check } from './check.ts';
import { daemonChecks } from './daemon-checks.ts';
import type { Facts } from './facts.ts';
import { homeChecks } from './home-checks.ts';

export const checks = { ...homeChecks, ...daemonChecks, ...appChecks };

export function runChecks(facts: Facts): Finding[] {
  return Object.entries<Check>(checks).flatMap(([code, { level, find }]) =>
    find(facts).map((found) => ({ code, level, ...found })),
  );
}
