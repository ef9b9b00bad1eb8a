// What each event does to a slot, case by case: the test of the table and the diagram in docs/architecture.md use them.
import type { SlotCandidate } from '../../src/daemon/slot/assignment.ts';
import { endedBy } from '../../src/daemon/slot/start-outcome.ts';
import type {
  Replacement,
  SlotEffect,
  SlotEvent,
  SlotEventType,
  SlotFacts,
  SlotIn,
  SlotKind,
  SlotState,
} from '../../src/daemon/slot/state.ts';
import { asked } from '../../src/ipc/records/deaths.ts';
import { processRecord } from './records.ts';

export const planned: Replacement = { reason: asked('reload'), isCareful: false };
const careful: Replacement = { ...planned, isCareful: true };
export const urgent: Replacement = { reason: { cause: 'blocked loop' }, isCareful: false };
export const dead = endedBy('exit code 1', 'nothing');

/** In which nothing that a state waits for has happened. */
export const open: SlotFacts = {
  name: 'web',
  slot: 0,
  exists: true,
  now: 10_000,
  canOverlap: true,
  isHolderAway: false,
  start: undefined,
  trial: { since: 9_000, loadedAt: 9_500, minUptime: 1_000, listenTimeout: 30_000 },
  missing: ['3000'],
  isTrialAtRest: false,
  old: { isAtRest: false, servesNobody: false },
  all: { isAtRest: false, servesNobody: false },
};

export const slotSamples: { [K in SlotKind]: SlotIn<K> } = {
  held: { kind: 'held' },
  trying: { kind: 'trying', replacement: planned },
  listening: { kind: 'listening', replacement: planned, deadline: 39_000 },
  settling: { kind: 'settling', replacement: careful, deadline: 10_500 },
  recording: { kind: 'recording', replacement: planned },
  draining: { kind: 'draining', replacement: planned },
  undoing: { kind: 'undoing', replacement: planned, failure: dead },
  ending: { kind: 'ending', reason: asked('stop'), othersServe: false },
};

export const slotEvents: { [T in SlotEventType]: Extract<SlotEvent, { type: T }> } = {
  replace: { type: 'replace', replacement: planned },
  end: { type: 'end', reason: asked('stop'), othersServe: false },
  adopt: { type: 'adopt', candidates: [], wasToEnd: false },
  interrupted: { type: 'interrupted' },
  leaving: { type: 'leaving', delay: 50, failures: 2 },
  changed: { type: 'changed' },
  recorded: { type: 'recorded' },
  deadline: { type: 'deadline' },
};

interface Case {
  from: SlotState;
  event: SlotEvent;
  /** What the diagram says at the arrow. */
  when: string;
  facts?: Partial<SlotFacts>;
  to: SlotState;
  effects: SlotEffect['do'][];
}

const { held, trying, listening, settling, recording, draining, undoing, ending } = slotSamples;
const { replace, end, interrupted, changed, recorded, deadline } = slotEvents;
const recordingCareful: SlotState = { kind: 'recording', replacement: careful };
const undoingCareful = (failure = soon()): SlotState => ({ kind: 'undoing', replacement: careful, failure });

/** A process that the previous daemon has left, with its number. */
export function left(sequence: number, lives: boolean): SlotCandidate {
  const { state, ...record } = processRecord(sequence);
  return { record: { ...record, was: state }, lives };
}

function soon() {
  return endedBy('the new process exited soon after it became ready', 'nothing');
}

/** Everything that leads to another state, or has an effect. */
export const slotCases: Case[] = [
  { from: held, event: replace, when: 'replace', to: trying, effects: ['startTrial', 'report'] },
  {
    from: held,
    event: replace,
    when: 'replace, but two cannot run side by side',
    facts: { canOverlap: false },
    to: held,
    effects: ['settle'],
  },
  { from: held, event: end, when: 'end', to: ending, effects: ['endAll'] },
  {
    from: held,
    event: { type: 'adopt', candidates: [left(1, true), left(2, true)], wasToEnd: false },
    when: 'adopt',
    to: held,
    effects: ['adopt', 'adoptLeaver'],
  },
  {
    from: trying,
    event: changed,
    when: 'ready, but listens on less',
    facts: { start: { good: true } },
    to: listening,
    effects: ['report'],
  },
  {
    from: trying,
    event: changed,
    when: 'ready',
    facts: { start: { good: true }, missing: [] },
    to: recording,
    effects: ['promote', 'record'],
  },
  {
    from: { ...trying, replacement: careful },
    event: changed,
    when: 'ready, the first of a reload',
    facts: { start: { good: true }, missing: [] },
    to: settling,
    effects: [],
  },
  {
    from: { ...trying, replacement: careful },
    event: changed,
    when: 'ready, and has stayed up',
    facts: { start: { good: true }, missing: [], now: 10_500 },
    to: recordingCareful,
    effects: ['promote', 'record'],
  },
  {
    from: trying,
    event: changed,
    when: 'finished with code 0',
    facts: { start: { good: true }, trial: undefined },
    to: recording,
    effects: ['promote', 'record'],
  },
  {
    from: { ...trying, replacement: careful },
    event: changed,
    when: 'finished with code 0, the first of a reload',
    facts: { start: { good: true }, trial: undefined },
    to: undoingCareful(),
    effects: ['endTrial'],
  },
  {
    from: trying,
    event: changed,
    when: 'ready late, and listens on less',
    facts: { start: { good: true }, now: 39_000 },
    to: recording,
    effects: ['promote', 'record'],
  },
  { from: trying, event: changed, when: 'failed', facts: { start: dead }, to: undoing, effects: ['endTrial'] },
  {
    from: listening,
    event: changed,
    when: 'listens everywhere',
    facts: { missing: [] },
    to: recording,
    effects: ['promote', 'record'],
  },
  {
    from: { ...listening, replacement: careful },
    event: changed,
    when: 'listens everywhere, the first of a reload',
    facts: { missing: [] },
    to: settling,
    effects: [],
  },
  {
    from: listening,
    event: changed,
    when: 'not ready any more',
    facts: { trial: undefined },
    to: { kind: 'undoing', replacement: planned, failure: soon() },
    effects: ['endTrial'],
  },
  { from: listening, event: deadline, when: 'deadline', to: recording, effects: ['promote', 'record'] },
  {
    from: settling,
    event: changed,
    when: 'not ready any more',
    facts: { trial: undefined },
    to: undoingCareful(),
    effects: ['endTrial'],
  },
  { from: settling, event: deadline, when: 'deadline', to: recordingCareful, effects: ['promote', 'record'] },
  { from: recording, event: recorded, when: 'recorded', to: draining, effects: ['endOld'] },
  ...(['isAtRest', 'servesNobody'] as const).map((fact) => ({
    from: draining,
    event: changed,
    when: { isAtRest: 'the old process has ended', servesNobody: 'it serves nobody any more' }[fact],
    facts: { old: { ...open.old, [fact]: true } },
    to: held,
    effects: ['settle' as const],
  })),
  {
    from: { ...draining, replacement: urgent },
    event: changed,
    when: 'it is blocked',
    to: held,
    effects: ['settle'],
  },
  ...[trying, listening, settling].map((from) => ({
    from,
    event: interrupted,
    when: 'interrupted',
    to: { kind: 'undoing' as const, replacement: from.replacement, failure: null },
    effects: ['endTrial' as const],
  })),
  {
    from: undoing,
    event: changed,
    when: 'the new process has ended',
    facts: { isTrialAtRest: true },
    to: held,
    effects: ['dropTrial', 'settle'],
  },
  {
    from: ending,
    event: changed,
    when: 'all have ended',
    facts: { all: { isAtRest: true, servesNobody: true } },
    to: held,
    effects: ['settle'],
  },
  {
    from: { ...ending, othersServe: true },
    event: changed,
    when: 'others serve, and these serve nobody any more',
    facts: { all: { isAtRest: false, servesNobody: true } },
    to: held,
    effects: ['settle'],
  },
  {
    from: { ...ending, othersServe: true, reason: { cause: 'blocked loop' } },
    event: changed,
    when: 'others serve, and these are blocked',
    to: held,
    effects: ['settle'],
  },
  ...Object.values(slotSamples).map((from) => ({
    from,
    event: slotEvents.leaving,
    when: 'the holder leaves',
    to: from,
    effects: ['succeed' as const],
  })),
];
