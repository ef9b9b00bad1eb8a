// Decides which process holds which slot after a daemon has died, from the records and the processes found. Pure.

import { isRestartDue, isServing } from '../process/lifecycle/classes.ts';
import { readMark } from '../process/mark.ts';
import type { GroupRecord, ProcessRecord } from '../process/record.ts';

export interface SlotAssignment {
  record: ProcessRecord;
  /** Whether it holds its slot; if not, it is to finish its work and exit. */
  holds: boolean;
  /** Whether it is alive; if not, its end is still to be judged, and its pid may belong to another process by now. */
  lives: boolean;
}

/**
 * `found`: running processes of the app without a record. A slot belongs to its newest living process. A trial gets it
 * only if no other is left, so that a half-done reload is undone while that is possible, and finished when it is not.
 * The record of a dead holder stays, so that its end is judged like any other.
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
  return trial && (!written || isServing(written) || isRestartDue(written)) ? trial : written;
}

/** A trial takes over the history of the slot. */
function asHolder(holder: ProcessRecord, written: ProcessRecord | undefined): ProcessRecord {
  if (!written || holder === written) return { ...holder, role: 'holder' };
  const { planned, lastExit, cutShort } = written;
  const restarts = Math.max(holder.restarts, written.restarts);
  return { ...holder, role: 'holder', id: written.id, restarts, ...(planned && { planned }), lastExit, cutShort };
}

function sequenceOf({ life }: ProcessRecord): number {
  return (life && readMark(life.mark)?.sequence) ?? -1;
}
