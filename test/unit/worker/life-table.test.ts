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

type Cell = [from: Life, event: LifeEvent];
type Case = [...Cell, to: Life, effects: string[], facts?: Partial<LifeFacts>];

const cases: Case[] = [
  ['serving', stop, 'draining', ['reportDraining', 'beginPart', 'drainThenRaise']],
  ['serving', stopElsewhere, 'draining', ['reportDraining', 'keepIdle', 'beginPart', 'drainThenRaise']],
  ['serving', stop, 'answering', ['reportDraining', 'beginPart', 'answerFirst'], handler],
  ['serving', leave, 'leaving', ['reportLeaving', 'keepIdle', 'beginPart', 'answerFirst']],
  ['serving', leave, 'leaving', ['beginPart', 'answerFirst'], { isServing: false }],
  ['answering', answered('answering'), 'handled', ['assist', 'watchRemaining', 'runHandlers', 'unrefServers'], handler],
  ['answering', answered('answering'), 'handled', ['assist', 'runHandlers', 'unrefServers'], part],
  ['handled', stopElsewhere, 'handled', ['reportDraining', 'beginPart', 'runHandlers'], handler],
  ['handled', stop, 'draining', ['reportDraining', 'beginPart', 'drainThenRaise']],
  ['leaving', answered('leaving'), 'leaving', ['assist', 'proceed', 'unrefServers'], part],
  ['dying', answered('dying'), 'dying', ['assist', 'proceed'], part],
  ...(['answering', 'leaving', 'draining', 'dying'] as const).map(
    (from): Case => [from, stopElsewhere, from, ['reportDraining']],
  ),
  ...lives
    .filter((from) => from !== 'dying')
    .flatMap((from): Case[] => [
      [from, die, 'dying', [...died, 'drainThenExit']],
      [from, die, 'dying', [...died, 'answerFirst'], part],
    ]),
  ...lives.map((from): Case => [from, closed, from, ['keepIdle', 'redirectClients', 'reportLeaving']]),
];

/** What changes nothing. A second uncaught error is left to Node. */
const ignored: Cell[] = [
  ...lives.filter((from) => from !== 'answering').map((from): Cell => [from, answered('answering')]),
  ['dying', die],
  ...lives.filter((from) => from !== 'serving').map((from): Cell => [from, leave]),
];

describe('the table of the life of a process, in the process', () => {
  it.each(cases)('goes from %s on %j to %s', (from, event, to, effects, given) => {
    const next = nextOfLife(from, event, { ...facts, ...given });
    expect([next.life, ...next.effects.map((effect) => effect.do)]).toEqual([to, ...effects]);
  });

  it.each(ignored)('while %s ignores %j', (from, event) => {
    expect(nextOfLife(from, event, { ...facts, ...part })).toEqual({ life: from, effects: [] });
  });

  it('has a test for each cell', () => {
    const tested = [...cases, ...ignored].map(([from, event]) => `${from} ${event.type}`);
    const all = lives.flatMap((life) => lifeEventTypes.map((type: LifeEventType) => `${life} ${type}`));
    expect(all.filter((cell) => !tested.includes(cell))).toEqual([]);
  });

  it('reports to the daemon why the process leaves, and at whose request', () => {
    const [reported] = nextOfLife('serving', leave, facts).effects;
    expect(reported).toEqual({ do: 'reportLeaving', reason: 'done', by: 'app' });
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
