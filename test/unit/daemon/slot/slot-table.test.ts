import { describe, expect, it } from 'vitest';
import type { SlotEventType, SlotKind } from '../../../../src/daemon/slot/state.ts';
import { nextOfSlot, slotEventTypes, slotKinds } from '../../../../src/daemon/slot/table.ts';
import { asked } from '../../../../src/ipc/records/deaths.ts';
import { dead, left, open, planned, slotCases, slotEvents, slotSamples, urgent } from '../../../helpers/slot-cases.ts';

/** Where one of these occurs, nsv is wrong. */
const impossible: Record<SlotKind, SlotEventType[]> = {
  held: ['recorded', 'deadline'],
  trying: ['replace', 'end', 'adopt', 'recorded', 'deadline'],
  listening: ['replace', 'end', 'adopt', 'recorded'],
  settling: ['replace', 'end', 'adopt', 'recorded'],
  recording: ['replace', 'end', 'adopt', 'deadline'],
  draining: ['replace', 'end', 'adopt', 'recorded', 'deadline'],
  undoing: ['replace', 'end', 'adopt', 'recorded', 'deadline'],
  ending: ['replace', 'end', 'adopt', 'recorded', 'deadline'],
};

/** Events that change nothing, of `changed` as long as nothing has happened that the state waits for. */
const ignored: Record<SlotKind, SlotEventType[]> = {
  held: ['interrupted', 'changed'],
  trying: ['changed'],
  listening: ['changed'],
  settling: ['changed'],
  recording: ['interrupted', 'changed'],
  draining: ['interrupted', 'changed'],
  undoing: ['interrupted', 'changed'],
  ending: ['interrupted', 'changed'],
};

const cellsOf = (table: Record<SlotKind, SlotEventType[]>) =>
  slotKinds.flatMap((kind) => table[kind].map((type) => ({ kind, type })));

describe('the table of slots', () => {
  it.each(slotCases)('goes from $from.kind to $to.kind when: $when', ({ from, event, facts, to, effects }) => {
    const result = nextOfSlot(from, event, { ...open, ...facts });
    expect(result.state).toEqual(to);
    expect(result.effects.map((effect) => effect.do)).toEqual(effects);
  });

  it.each(cellsOf(ignored))('ignores $type while $kind', ({ kind, type }) => {
    const state = slotSamples[kind];
    expect(nextOfSlot(state, slotEvents[type], open)).toEqual({ state, effects: [] });
  });

  it.each(cellsOf(impossible))('reports $type while $kind as a bug of nsv', ({ kind, type }) => {
    const ask = () => nextOfSlot(slotSamples[kind], slotEvents[type], open);
    expect(ask).toThrow(`"${type}" reached slot 0 of "web" while ${kind}`);
  });

  it('has a test for each cell', () => {
    const tested = [...cellsOf(ignored), ...cellsOf(impossible)].concat(
      slotCases.map(({ from, event }) => ({ kind: from.kind, type: event.type })),
    );
    const missing = slotKinds.flatMap((kind) =>
      slotEventTypes.filter((type) => !tested.some((cell) => cell.kind === kind && cell.type === type)),
    );
    expect(missing).toEqual([]);
  });
});

describe('a slot', () => {
  const outcomeOf = (...given: Parameters<typeof nextOfSlot>) =>
    nextOfSlot(...given).effects.find((effect) => effect.do === 'settle')?.outcome;

  it('reports the outcome of a command', () => {
    const { held, undoing, draining } = slotSamples;
    const { changed } = slotEvents;
    const undone = { ...open, isTrialAtRest: true };
    expect(outcomeOf(held, slotEvents.replace, { ...open, canOverlap: false })).toEqual({ kind: 'inPlace' });
    expect(outcomeOf(undoing, changed, undone)).toEqual({ kind: 'failed', start: dead, endFirst: false });
    expect(outcomeOf({ ...undoing, failure: null }, changed, undone)).toEqual({ kind: 'interrupted' });
    const drained = { ...open, old: { isAtRest: true, servesNobody: true } };
    expect(outcomeOf(draining, changed, drained)).toEqual({ kind: 'done' });
  });

  it.each([
    { replacement: urgent, isHolderAway: true, endFirst: true },
    { replacement: urgent, isHolderAway: false, endFirst: false },
    { replacement: planned, isHolderAway: true, endFirst: false },
  ])(
    'lets the old process end first only if the replacement is urgent and it serves no clients: $endFirst',
    ({ replacement, isHolderAway, endFirst }) => {
      const state = { ...slotSamples.undoing, replacement };
      const facts = { ...open, isTrialAtRest: true, isHolderAway };
      expect(outcomeOf(state, slotEvents.changed, facts)).toMatchObject({ kind: 'failed', endFirst });
    },
  );

  it('gives processes the reason for their end', () => {
    const effectOf = (...given: Parameters<typeof nextOfSlot>) => nextOfSlot(...given).effects[0];
    expect(effectOf(slotSamples.recording, slotEvents.recorded, open)).toEqual({
      do: 'endOld',
      reason: planned.reason,
    });
    expect(effectOf(slotSamples.trying, slotEvents.interrupted, open)).toEqual({
      do: 'endTrial',
      reason: asked('reload', 'it has not taken the place of the process that it was to replace'),
    });
    const end = { ...slotEvents.end, othersServe: true };
    expect(effectOf(slotSamples.held, end, open)).toEqual({ do: 'endAll', reason: end.reason, othersServe: true });
  });

  it.each([
    { lives: true, wasToEnd: true, fate: 'running' },
    { lives: false, wasToEnd: false, fate: 'ended' },
    { lives: false, wasToEnd: true, fate: 'asked' },
  ])('judges the exit of an adopted process, unless a command was about to end it: $fate', (given) => {
    const { lives, wasToEnd, fate } = given;
    const event = { type: 'adopt', candidates: [left(1, lives)], wasToEnd } as const;
    expect(nextOfSlot(slotSamples.held, event, open).effects).toMatchObject([{ do: 'adopt', fate }]);
  });

  it('reports to its command what it waits for', () => {
    const reportOf = (...given: Parameters<typeof nextOfSlot>) =>
      nextOfSlot(...given).effects.flatMap((effect) => (effect.do === 'report' ? effect.text : []));
    expect(reportOf(slotSamples.held, slotEvents.replace, open)).toEqual(['waiting for web (instance 0) to be ready']);
    expect(reportOf(slotSamples.trying, slotEvents.changed, { ...open, start: { good: true } })).toEqual([
      'waiting for web (instance 0) to also listen on 3000',
    ]);
  });
});
