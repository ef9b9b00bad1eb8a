// Which process holds a slot after a daemon has died, from the records and the processes found. Pure.
import { isRestartDue, isServing } from '../process/lifecycle/classes.ts';
import { readMark } from '../process/mark.ts';
import type { LeftRecord } from '../process/record.ts';

/** A process of the slot that the previous daemon has left. */
export interface SlotCandidate {
  record: LeftRecord;
  /** Whether it still runs; if not, its end is to be judged, and its pid may belong to another process by now. */
  lives: boolean;
}

export interface Assignment {
  /** Undefined if the slot does not exist any more. */
  holder: SlotCandidate | undefined;
  /** Those that are to finish their work and exit. */
  leavers: SlotCandidate[];
}

/**
 * A slot belongs to its newest living process. A trial gets it only if no other is left, so that a half-done reload is undone while
 * that is possible, and finished when it is not. The record of a dead holder stays, so that its end is judged like any other.
 */
export function assignSlot(candidates: readonly SlotCandidate[], exists: boolean): Assignment {
  const written = candidates.find(({ record }) => record.role === 'holder' && record.was.kind !== 'found');
  const holder = exists ? holderAmong(candidates, written) : undefined;
  const leavers = candidates.filter((candidate) => candidate !== holder && candidate.lives);
  return { holder: holder && withHistory(holder, written), leavers };
}

function holderAmong(
  candidates: readonly SlotCandidate[],
  written: SlotCandidate | undefined,
): SlotCandidate | undefined {
  const alive = candidates.filter(({ lives }) => lives).sort((a, b) => sequenceOf(b) - sequenceOf(a));
  const newest = alive.find(({ record }) => record.role === 'holder');
  if (newest) return newest;
  const trial = alive.find(({ record }) => record.role === 'trial');
  return trial && (!written || isMeantToServe(written)) ? trial : written;
}

function isMeantToServe({ record: { was } }: SlotCandidate): boolean {
  return was.kind === 'found' || isServing({ state: was }) || isRestartDue({ state: was });
}

/** Another process takes over the history of the slot. */
function withHistory(holder: SlotCandidate, written: SlotCandidate | undefined): SlotCandidate {
  if (!written || holder === written) return holder;
  const { id, planned, lastExit, cutShort } = written.record;
  const restarts = Math.max(holder.record.restarts, written.record.restarts);
  const history = { id, restarts, ...(planned && { planned }), lastExit, cutShort };
  return { ...holder, record: { ...holder.record, ...history } };
}

function sequenceOf({ record: { identity } }: SlotCandidate): number {
  return (identity && readMark(identity.mark)?.sequence) ?? -1;
}
