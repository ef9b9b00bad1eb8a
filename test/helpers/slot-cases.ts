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
  trial: { since: 9_000, loadedAt: 9_500, listenTimeout: 30_000 },
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

/** `when`: what the diagram says at the arrow. */
type Case = [
  from: SlotState,
  event: SlotEvent,
  when: string,
  to: SlotState,
  effects: SlotEffect['do'][],
  facts?: Partial<SlotFacts>,
];

const { held, trying, listening, settling, recording, draining, undoing, ending } = slotSamples;
const { replace, end, interrupted, leaving, changed, recorded, deadline } = slotEvents;
const soon = endedBy('the new process exited soon after it became ready', 'nothing');
const recordingCareful: SlotState = { kind: 'recording', replacement: careful };
const undoingCareful: SlotState = { kind: 'undoing', replacement: careful, failure: soon };

/** A process that the previous daemon has left, with its number. */
export function left(sequence: number, lives: boolean): SlotCandidate {
  const { state, ...record } = processRecord(sequence);
  return { record: { ...record, was: state }, lives };
}

const startsCarefully: SlotState = { ...trying, replacement: careful };
const othersServe: SlotState = { ...ending, othersServe: true };
const adopt: SlotEvent = { type: 'adopt', candidates: [left(1, true), left(2, true)], wasToEnd: false };
const ready = { start: { good: true } } as const;
const everywhere = { missing: [] };
const noTrial = { trial: undefined };
const ended = { isAtRest: true, servesNobody: false };
const idle = { isAtRest: false, servesNobody: true };

const cases: Case[] = [
  [held, replace, 'replace', trying, ['startTrial', 'report']],
  [held, replace, 'replace, but two cannot run side by side', held, ['settle'], { canOverlap: false }],
  [held, end, 'end', ending, ['endAll']],
  [held, adopt, 'adopt', held, ['adopt', 'adoptLeaver']],
  [trying, changed, 'ready, but listens on less', listening, ['report'], ready],
  [trying, changed, 'ready', recording, ['promote', 'record'], { ...ready, ...everywhere }],
  [startsCarefully, changed, 'ready, the first of a reload', settling, [], { ...ready, ...everywhere }],
  [
    startsCarefully,
    changed,
    'ready, and has stayed up',
    recordingCareful,
    ['promote', 'record'],
    { ...ready, ...everywhere, now: 10_500 },
  ],
  [trying, changed, 'finished with code 0', recording, ['promote', 'record'], { ...ready, ...noTrial }],
  [
    startsCarefully,
    changed,
    'finished with code 0, the first of a reload',
    undoingCareful,
    ['endTrial'],
    { ...ready, ...noTrial },
  ],
  [trying, changed, 'ready late, and listens on less', recording, ['promote', 'record'], { ...ready, now: 39_000 }],
  [trying, changed, 'failed', undoing, ['endTrial'], { start: dead }],
  [listening, changed, 'listens everywhere', recording, ['promote', 'record'], everywhere],
  [
    { ...listening, replacement: careful },
    changed,
    'listens everywhere, the first of a reload',
    settling,
    [],
    everywhere,
  ],
  [listening, changed, 'not ready any more', { ...undoing, failure: soon }, ['endTrial'], noTrial],
  [listening, deadline, 'deadline', recording, ['promote', 'record']],
  [settling, changed, 'not ready any more', undoingCareful, ['endTrial'], noTrial],
  [settling, deadline, 'deadline', recordingCareful, ['promote', 'record']],
  [recording, recorded, 'recorded', draining, ['endOld']],
  [draining, changed, 'the old process has ended', held, ['settle'], { old: ended }],
  [draining, changed, 'it serves nobody any more', held, ['settle'], { old: idle }],
  [{ ...draining, replacement: urgent }, changed, 'it is blocked', held, ['settle']],
  ...[trying, listening, settling].map((from): Case => {
    const to: SlotState = { kind: 'undoing', replacement: from.replacement, failure: null };
    return [from, interrupted, 'interrupted', to, ['endTrial']];
  }),
  [undoing, changed, 'the new process has ended', held, ['dropTrial', 'settle'], { isTrialAtRest: true }],
  [ending, changed, 'all have ended', held, ['settle'], { all: { isAtRest: true, servesNobody: true } }],
  [othersServe, changed, 'others serve, and these serve nobody any more', held, ['settle'], { all: idle }],
  [
    { ...othersServe, reason: { cause: 'blocked loop' } },
    changed,
    'others serve, and these are blocked',
    held,
    ['settle'],
  ],
  ...Object.values(slotSamples).map((from): Case => [from, leaving, 'the holder leaves', from, ['succeed']]),
];

/** Everything that leads to another state, or has an effect. */
export const slotCases = cases.map(([from, event, when, to, effects, facts]) => ({
  from,
  event,
  when,
  to,
  effects,
  facts,
}));
