// Who holds which slot after a daemon's death: decided from what was written down and from what was found. Pure.

import { parseMark } from '../process/mark.ts';
import type { GroupRecord, ProcessRecord } from '../process/record.ts';
import type { State } from '../process/state.ts';

export interface SlotAssignment {
  record: ProcessRecord;
  /** Else it is to finish what it has begun and go. */
  holds: boolean;
  /** Else its end is still to be judged, and whatever has its pid by now is another process. */
  lives: boolean;
}

/**
 * `found`: what runs for the app and was not written down. A slot belongs to the newest process of it that lives; a trial
 * only gets it when nobody else is left, so that a reload that was half done is undone while it can be, and finished when it
 * cannot. What was written down of a holder stays when it is dead: it is judged like any death.
 */
export function assignSlots(
  { spec, processes }: Pick<GroupRecord, 'spec' | 'processes'>,
  found: readonly ProcessRecord[],
  lives: (record: ProcessRecord) => boolean,
): SlotAssignment[] {
  const all = [...processes, ...found];
  const slots = [...new Set(all.map(({ slot }) => slot))];
  return slots.flatMap((slot) => {
    const candidates = all.filter((candidate) => candidate.slot === slot);
    const written = processes.find((candidate) => candidate.slot === slot && candidate.role === 'holder');
    const holder = slot < spec.instances ? holderAmong(candidates, written, lives) : undefined;
    const others = candidates.filter((candidate) => candidate !== holder && candidate !== written);
    const old = written && written !== holder ? [written] : [];
    const leaving = [...others, ...old].filter(lives).map((record) => ({ record, holds: false, lives: true }));
    if (!holder) return leaving;
    return [{ record: asHolder(holder, written), holds: true, lives: lives(holder) }, ...leaving];
  });
}

function holderAmong(
  candidates: readonly ProcessRecord[],
  written: ProcessRecord | undefined,
  lives: (record: ProcessRecord) => boolean,
): ProcessRecord | undefined {
  const alive = candidates.filter(lives).sort((a, b) => sequenceOf(b) - sequenceOf(a));
  const newest = alive.find(({ role }) => role === 'holder');
  if (newest) return newest;
  const trial = alive.find(({ role }) => role === 'trial');
  return trial && (!written || isMeantToRun(written.state)) ? trial : written;
}

/** A trial takes over what is told of the slot. */
function asHolder(holder: ProcessRecord, written: ProcessRecord | undefined): ProcessRecord {
  if (!written || holder === written) return { ...holder, role: 'holder' };
  const { lastExit, cutShort } = written;
  const restarts = Math.max(holder.restarts, written.restarts);
  return { ...holder, role: 'holder', id: written.id, restarts, lastExit, cutShort };
}

function isMeantToRun(state: State): boolean {
  return state.kind === 'starting' || state.kind === 'online' || state.kind === 'backoff';
}

function sequenceOf({ life }: ProcessRecord): number {
  return (life && parseMark(life.mark)?.sequence) ?? -1;
}
