// The cells of the table: what each event does to a slot. Pure.
import { asked } from '../../ipc/records/deaths.ts';
import { failure } from '../../shared/errors.ts';
import { settleTime } from '../process/process-context.ts';
import { assignSlot } from './assignment.ts';
import { isUrgent, isUseless } from './replacement.ts';
import { endedBy, type FailedOutcome } from './start-outcome.ts';
import type {
  Replacement,
  SlotEffect,
  SlotEvent,
  SlotEventOf,
  SlotFacts,
  SlotIn,
  SlotOutcome,
  SlotState,
  SlotTransition,
} from './state.ts';

/** States in which a new process is on trial. */
type OnTrial = SlotIn<'trying' | 'listening' | 'settling'>;

function to(state: SlotState, ...effects: SlotEffect[]): SlotTransition {
  return { state, effects };
}

/** The event means nothing in this state. */
export function ignore(state: SlotState): SlotTransition {
  return to(state);
}

/** A bug of nsv, not a mistake of the user. The error names the cell, so the log says which row to look at. */
export function impossible(state: SlotState, { name, slot }: SlotFacts, { type }: SlotEvent): never {
  throw failure('INTERNAL', { detail: `"${type}" reached slot ${slot} of "${name}" while ${state.kind}` });
}

export function replace(state: SlotState, facts: SlotFacts, { replacement }: SlotEventOf<'replace'>): SlotTransition {
  if (!facts.canOverlap) return to(state, settle({ kind: 'inPlace' }));
  const report: SlotEffect = { do: 'report', text: `waiting for ${subject(facts)} to be ready` };
  return to({ kind: 'trying', replacement }, { do: 'startTrial' }, report);
}

/**
 * Many apps open a port for metrics first, and their main port only when they have reached their database. A new version
 * that no longer listens where the old one does passes after its time to become ready.
 */
export function whenStarted(state: SlotIn<'trying'>, facts: SlotFacts): SlotTransition {
  const { replacement } = state;
  const { start, trial, now } = facts;
  if (!start) return to(state);
  if (!start.good) return undo(replacement, start);
  // A job that has already finished has nothing to listen on.
  const deadline = trial ? trial.since + trial.listenTimeout : now;
  const missing = deadline > now ? facts.missing : [];
  if (missing.length === 0) return stayUp(replacement, facts);
  const text = `waiting for ${subject(facts)} to also listen on ${missing.join(', ')}`;
  return to({ kind: 'listening', replacement, deadline }, { do: 'report', text });
}

export function whenListening(state: SlotIn<'listening'>, facts: SlotFacts): SlotTransition {
  if (!facts.trial) return undo(state.replacement, exitedSoon);
  return facts.missing.length === 0 ? stayUp(state.replacement, facts) : to(state);
}

export function withoutListening({ replacement }: SlotIn<'listening'>, facts: SlotFacts): SlotTransition {
  return stayUp(replacement, facts);
}

/** Code that listens and then dies replaces nothing. */
function stayUp(replacement: Replacement, facts: SlotFacts): SlotTransition {
  const { trial, now } = facts;
  if (!replacement.isCareful) return promote({ replacement });
  if (!trial) return undo(replacement, exitedSoon);
  const deadline = trial.loadedAt + settleTime;
  return deadline <= now ? promote({ replacement }) : to({ kind: 'settling', replacement, deadline });
}

export function unlessGone(state: SlotIn<'settling'>, { trial }: SlotFacts): SlotTransition {
  return trial ? to(state) : undo(state.replacement, exitedSoon);
}

/** The old process ends only when the next daemon would know which one holds the slot. */
export function promote({ replacement }: Pick<OnTrial, 'replacement'>): SlotTransition {
  return to({ kind: 'recording', replacement }, { do: 'promote', reason: replacement.reason }, { do: 'record' });
}

export function askOldToEnd({ replacement }: SlotIn<'recording'>): SlotTransition {
  return to({ kind: 'draining', replacement }, { do: 'endOld', reason: replacement.reason });
}

export function whenDrained(state: SlotIn<'draining'>, { old }: SlotFacts): SlotTransition {
  const isDone = old.isAtRest || old.servesNobody || isUrgent(state.replacement.reason);
  return isDone ? held({ kind: 'done' }) : to(state);
}

export function interrupt({ replacement }: OnTrial): SlotTransition {
  return undo(replacement, null);
}

function undo(replacement: Replacement, failure: FailedOutcome | null): SlotTransition {
  const { by, cause } = replacement.reason;
  const reason = asked(by ?? cause, 'it has not taken the place of the process that it was to replace');
  return to({ kind: 'undoing', replacement, failure }, { do: 'endTrial', reason });
}

export function whenUndone(state: SlotIn<'undoing'>, facts: SlotFacts): SlotTransition {
  if (!facts.isTrialAtRest) return to(state);
  const { replacement, failure: start } = state;
  const endFirst = facts.isHolderAway && isUseless(replacement.reason);
  return held(start ? { kind: 'failed', start, endFirst } : { kind: 'interrupted' }, { do: 'dropTrial' });
}

export function askAllToEnd(_state: SlotState, _facts: SlotFacts, event: SlotEventOf<'end'>): SlotTransition {
  const { reason, othersServe } = event;
  return to({ kind: 'ending', reason, othersServe }, { do: 'endAll', reason, othersServe });
}

export function whenEnded(state: SlotIn<'ending'>, { all }: SlotFacts): SlotTransition {
  const areLeft = state.othersServe && (all.servesNobody || isUrgent(state.reason));
  return all.isAtRest || areLeft ? held({ kind: 'done' }) : to(state);
}

export function adopt(state: SlotState, { exists }: SlotFacts, event: SlotEventOf<'adopt'>): SlotTransition {
  const { candidates, wasToEnd } = event;
  const { holder, leavers } = assignSlot(candidates, exists);
  const reason = asked('reload', 'the daemon died before it could take its place');
  const effects: SlotEffect[] = leavers.map(({ record }) => ({ do: 'adoptLeaver', record, reason }));
  if (!holder) return to(state, ...effects);
  // It did not fail if a command was about to end it.
  const fate = holder.lives ? 'running' : wasToEnd ? 'asked' : 'ended';
  return to(state, { do: 'adopt', record: holder.record, fate }, ...effects);
}

/** Whatever a command does with the slot meanwhile. */
export function startSuccessor(
  state: SlotState,
  _facts: SlotFacts,
  { type, ...restart }: SlotEventOf<'leaving'>,
): SlotTransition {
  return to(state, { do: 'succeed', ...restart });
}

const exitedSoon = endedBy('the new process exited soon after it became ready', 'nothing');

function held(outcome: SlotOutcome, ...before: SlotEffect[]): SlotTransition {
  return to({ kind: 'held' }, ...before, settle(outcome));
}

function settle(outcome: SlotOutcome): SlotEffect {
  return { do: 'settle', outcome };
}

function subject({ name, slot }: SlotFacts): string {
  return `${name} (instance ${slot})`;
}
