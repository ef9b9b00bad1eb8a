import { describe, expect, it } from 'vitest';
import {
  type Life,
  type LifeEvent,
  type LifeEventType,
  type LifeFacts,
  lifeEventTypes,
  lives,
  nextOfLife,
} from '../../../src/worker/shutdown/life-table.ts';

const error = new Error('oops');
const facts: LifeFacts = { hasHandler: false, hasPart: false, isServing: true };
const stop = { type: 'stop', reason: 'SIGTERM', othersServe: false } as const;
const stopElsewhere = { ...stop, othersServe: true };
const leave = { type: 'leave', reason: 'done', by: 'app' } as const;
const die = { type: 'error', reason: 'Error: oops', error } as const;
const closed = { type: 'closed', servers: new Set<never>() } as const;
const answered = (asked: Life) => ({ type: 'answered', asked }) as const;

const died = ['reportLeaving', 'print', 'beginPart', 'exitInTime', 'keepIdle'];
const handler = { hasHandler: true };
const part = { hasPart: true, hasHandler: true };

interface Case {
  from: Life;
  event: LifeEvent;
  facts?: Partial<LifeFacts>;
  to: Life;
  effects: string[];
}

const cases: Case[] = [
  { from: 'serving', event: stop, to: 'draining', effects: ['reportDraining', 'beginPart', 'drainThenRaise'] },
  {
    from: 'serving',
    event: stopElsewhere,
    to: 'draining',
    effects: ['reportDraining', 'keepIdle', 'beginPart', 'drainThenRaise'],
  },
  {
    from: 'serving',
    event: stop,
    facts: handler,
    to: 'answering',
    effects: ['reportDraining', 'beginPart', 'answerFirst'],
  },
  { from: 'serving', event: leave, to: 'leaving', effects: ['reportLeaving', 'keepIdle', 'beginPart', 'answerFirst'] },
  {
    from: 'serving',
    event: leave,
    facts: { isServing: false },
    to: 'leaving',
    effects: ['beginPart', 'answerFirst'],
  },
  {
    from: 'answering',
    event: answered('answering'),
    facts: handler,
    to: 'handled',
    effects: ['assist', 'watchRemaining', 'runHandlers', 'unrefServers'],
  },
  {
    from: 'answering',
    event: answered('answering'),
    facts: part,
    to: 'handled',
    effects: ['assist', 'runHandlers', 'unrefServers'],
  },
  {
    from: 'handled',
    event: stopElsewhere,
    facts: handler,
    to: 'handled',
    effects: ['reportDraining', 'beginPart', 'runHandlers'],
  },
  { from: 'handled', event: stop, to: 'draining', effects: ['reportDraining', 'beginPart', 'drainThenRaise'] },
  {
    from: 'leaving',
    event: answered('leaving'),
    facts: part,
    to: 'leaving',
    effects: ['assist', 'proceed', 'unrefServers'],
  },
  { from: 'dying', event: answered('dying'), facts: part, to: 'dying', effects: ['assist', 'proceed'] },
  ...(['answering', 'leaving', 'draining', 'dying'] as const).map((from) => ({
    from,
    event: stopElsewhere,
    to: from,
    effects: ['reportDraining'],
  })),
  ...lives
    .filter((from) => from !== 'dying')
    .flatMap((from): Case[] => [
      { from, event: die, to: 'dying', effects: [...died, 'drainThenExit'] },
      { from, event: die, facts: part, to: 'dying', effects: [...died, 'answerFirst'] },
    ]),
  ...lives.map(
    (from): Case => ({ from, event: closed, to: from, effects: ['keepIdle', 'redirectClients', 'reportLeaving'] }),
  ),
];

/** What changes nothing. A second uncaught error is left to Node. */
const ignored: { from: Life; event: LifeEvent }[] = [
  { from: 'serving', event: answered('answering') },
  { from: 'handled', event: answered('answering') },
  { from: 'draining', event: answered('answering') },
  { from: 'dying', event: answered('answering') },
  { from: 'leaving', event: answered('answering') },
  { from: 'dying', event: die },
  ...lives.filter((from) => from !== 'serving').map((from) => ({ from, event: leave })),
];

describe('the table of the life of a process, in the process', () => {
  it.each(cases)('goes from $from to $to on $event.type', ({ from, event, to, effects, ...given }) => {
    const next = nextOfLife(from, event, { ...facts, ...given.facts });
    expect([next.life, ...next.effects.map((effect) => effect.do)]).toEqual([to, ...effects]);
  });

  it.each(ignored)('ignores $event.type while $from', ({ from, event }) => {
    expect(nextOfLife(from, event, { ...facts, ...part })).toEqual({ life: from, effects: [] });
  });

  it('has a test for each cell', () => {
    const tested = [...cases, ...ignored].map(({ from, event }) => `${from} ${event.type}`);
    const all = lives.flatMap((life) => lifeEventTypes.map((type: LifeEventType) => `${life} ${type}`));
    expect(all.filter((cell) => !tested.includes(cell))).toEqual([]);
  });

  it('reports to the daemon why the process leaves, and at whose request', () => {
    const [told] = nextOfLife('serving', leave, facts).effects;
    expect(told).toEqual({ do: 'reportLeaving', reason: 'done', by: 'app' });
    expect(nextOfLife('serving', die, facts).effects.slice(0, 2)).toEqual([
      { do: 'reportLeaving', reason: 'Error: oops' },
      { do: 'print', error },
    ]);
  });

  it('asks for a report of idle connections only if other processes serve', () => {
    const idle = (event: LifeEvent) =>
      nextOfLife('serving', event, facts).effects.filter((effect) => effect.do === 'keepIdle');
    expect(idle(stopElsewhere)).toEqual([{ do: 'keepIdle', reports: true }]);
    expect([idle(stop), idle(leave)]).toEqual([[], [{ do: 'keepIdle', reports: false }]]);
  });
});
