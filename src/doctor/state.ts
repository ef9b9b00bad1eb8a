// Collects facts about the saved state for the next daemon and the next boot.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isStopped } from '../daemon/process/lifecycle/classes.ts';
import type { GroupRecord, Snapshot } from '../daemon/process/record.ts';
import { decodeState } from '../daemon/state/codec.ts';
import { asideSuffix } from '../daemon/state/invalid-record.ts';
import { isSameRun, originHere, whyForeign } from '../daemon/state/origin.ts';
import { parseSavedList } from '../daemon/state/saved-list.ts';
import { errnoOf } from '../shared/errno.ts';
import { detailOf } from '../shared/errors.ts';
import type { HomePaths } from '../shared/paths.ts';
import { whyUnrunnable } from './apps.ts';
import type { FileFacts, SavedFacts, StateFacts } from './facts.ts';

/** `snapshot`: the state that the next daemon would restore. */
export function lookAtState(paths: HomePaths): { facts: StateFacts; snapshot?: Snapshot } {
  const broken: StateFacts['broken'] = [];
  const origin = originHere(paths);
  const quarantined = filesOf(paths.home, 'state.json.bad-');
  const appsAside = filesOf(paths.home, `state.json${asideSuffix}`);
  for (const file of [paths.state, `${paths.state}.1`]) {
    const found = load(file, (snapshot) => whyForeign(snapshot.origin, origin));
    if (typeof found === 'string') broken.push({ file, why: found });
    if (typeof found !== 'object') continue;
    const asleep = isSameRun(found.origin, origin) ? [] : found.groups.filter(isMeantToRun);
    return {
      snapshot: found,
      facts: { broken, quarantined, appsAside, notResurrected: asleep.map(({ spec }) => spec.name) },
    };
  }
  return { facts: { broken, quarantined, appsAside, notResurrected: [] } };
}

/** Undefined if there is no such file; a string says what is wrong with it. */
function load(file: string, reject: (snapshot: Snapshot) => string | undefined): Snapshot | string | undefined {
  try {
    const { snapshot } = decodeState(readFileSync(file));
    return reject(snapshot) ?? snapshot;
  } catch (error) {
    return errnoOf(error) === 'ENOENT' ? undefined : detailOf(error);
  }
}

function isMeantToRun({ processes }: GroupRecord): boolean {
  return !processes.every(isStopped);
}

export function lookAtSaved({ home, saved }: HomePaths): SavedFacts {
  const quarantined = filesOf(home, 'saved.json.corrupt-');
  const appsAside = filesOf(home, `saved.json${asideSuffix}`);
  try {
    const { apps } = parseSavedList(readFileSync(saved, 'utf8'));
    return {
      quarantined,
      appsAside,
      apps: apps.map(({ spec, active }) => ({ name: spec.name, active, unrunnable: whyUnrunnable(spec) })),
    };
  } catch (error) {
    return errnoOf(error) === 'ENOENT'
      ? { quarantined, appsAside }
      : { quarantined, appsAside, broken: detailOf(error) };
  }
}

/** The names end with the time of creation, in milliseconds since 1970. */
function filesOf(directory: string, beginning: string): FileFacts[] {
  const names = readdirSync(directory).filter((name) => name.startsWith(beginning));
  return names.map((name) => ({ file: join(directory, name), at: Number.parseInt(name.slice(beginning.length), 10) }));
}
