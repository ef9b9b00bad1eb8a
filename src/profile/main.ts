// Reads profiles and heap snapshots. A bundle of its own, which only the commands that need it load.
import { flameOf } from './flame/layout.ts';
import { flamePage } from './flame/page.ts';
import { type Hottest, hottestOf } from './hottest.ts';
import { withoutOwnWork } from './own-work.ts';
import { parseCpuProfile, parseHeapProfile } from './parse.ts';

export type ProfileKind = 'cpu' | 'heap';

export interface Profile {
  hottest: Hottest;
  /** A flame graph as an HTML file. */
  flame(title: string): string;
}

/** Parses what a process gave. Throws a ProfileError. */
export function readProfile(kind: ProfileKind, text: string): Profile {
  const tree = withoutOwnWork(kind === 'cpu' ? parseCpuProfile(text) : parseHeapProfile(text));
  return { hottest: hottestOf(tree), flame: (title) => flamePage(flameOf(tree, title)) };
}

export { type Grown, growthOf } from './snapshot/growth.ts';
