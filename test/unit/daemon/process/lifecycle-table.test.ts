import { describe, expect, it } from 'vitest';
import { eventTypes, kinds, next } from '../../../../src/daemon/process/lifecycle/lifecycle.ts';
import type { EventOf, EventType, Kind, State } from '../../../../src/daemon/process/lifecycle/state.ts';
import { asked } from '../../../../src/ipc/records/deaths.ts';
import { samples } from '../../../helpers/states.ts';
import { contextOf } from '../../../helpers/supervised.ts';

const events: { [T in EventType]: EventOf<T> } = {
  start: { type: 'start' },
  stop: { type: 'stop', reason: asked('stop') },
  kill: { type: 'kill' },
  adopt: { type: 'adopt', left: { was: samples.online, fate: 'running', isKnown: true } },
  succeed: { type: 'succeed', delay: 0, failures: 1 },
  changed: { type: 'changed' },
  bound: { type: 'bound', aborted: false },
  leaving: { type: 'leaving', reason: { cause: 'uncaught error', detail: 'Error: oops' } },
  exceeded: { type: 'exceeded', reason: { cause: 'memory limit', detail: 'memory 2G' } },
  errorHandled: { type: 'errorHandled', kind: 'exception' },
  kept: { type: 'kept', detail: 'the new process exited' },
  answered: { type: 'answered' },
  spawned: { type: 'spawned', pid: 1 },
  failed: { type: 'failed', detail: 'EACCES' },
  loaded: { type: 'loaded' },
  ready: { type: 'ready' },
  notReady: { type: 'notReady' },
  listening: { type: 'listening' },
  exited: { type: 'exited', exit: { code: 1, signal: null } },
  treeGone: { type: 'treeGone' },
  deadline: { type: 'deadline' },
};

/** The state that follows, and the effects. What is not named here is ignored, or cannot happen. */
const follows: Record<Kind, Partial<Record<EventType, string>>> = {
  stopped: {
    start: 'spawning: spawn',
    kill: 'stopped: kill',
    adopt: 'online: find emitOnline',
    succeed: 'spawning: countRestart spawn',
  },
  spawning: {
    spawned: 'starting: emitStarted',
    failed: 'backoff: emitUnspawnable countAgainstLimit countRestart',
  },
  starting: {
    stop: 'stopping: ask',
    kill: 'starting: kill',
    leaving: 'stopping: countAgainstLimit succeed',
    exceeded: 'starting: countAgainstLimit countRestart emitReplacing replace',
    errorHandled: 'starting: leaveQueue',
    loaded: 'starting:',
    ready: 'online: emitOnline',
    notReady: 'starting:',
    listening: 'online: emitOnline',
    exited: 'stopping: emitExited countAgainstLimit countRestart askLeftovers',
    deadline: 'online: noteSilence emitOnline',
  },
  online: {
    stop: 'stopping: ask',
    kill: 'online: kill',
    leaving: 'stopping: countAgainstLimit succeed',
    exceeded: 'online: countAgainstLimit countRestart emitReplacing replace',
    errorHandled: 'online: leaveQueue',
    exited: 'stopping: emitExited countAgainstLimit countRestart askLeftovers',
  },
  stopping: {
    start: 'stopping:',
    stop: 'stopping: stopKeepingIdle',
    kill: 'stopping: kill',
    answered: 'stopping:',
    exited: 'stopping: emitExited signal look',
    treeGone: 'stopped:',
    deadline: 'stopping: signal',
  },
  backoff: {
    start: 'spawning: spawn',
    stop: 'stopped:',
    kill: 'backoff: kill',
    deadline: 'spawning: spawn',
  },
  waiting: {
    start: 'spawning: spawn',
    stop: 'stopped:',
    kill: 'waiting: kill',
    changed: 'spawning: spawn',
    deadline: 'spawning: spawn',
  },
  errored: {
    start: 'spawning: spawn',
    stop: 'stopped:',
    kill: 'errored: kill',
    deadline: 'waiting: bind',
  },
};

/** Where one of these occurs, nsv is wrong. */
const impossible: Record<Kind, EventType[]> = {
  stopped: ['spawned', 'failed', 'deadline'],
  spawning: eventTypes.filter((type) => type !== 'spawned' && type !== 'failed'),
  starting: ['adopt', 'succeed', 'spawned', 'failed'],
  online: ['adopt', 'succeed', 'spawned', 'failed'],
  stopping: ['adopt', 'succeed', 'spawned', 'failed'],
  backoff: ['adopt', 'succeed', 'spawned', 'failed'],
  waiting: ['adopt', 'succeed', 'spawned', 'failed'],
  errored: ['adopt', 'succeed', 'spawned', 'failed'],
};

const cells = kinds.flatMap((kind) =>
  eventTypes.map((type) => {
    const [to, effects = ''] = follows[kind][type]?.split(':') ?? [];
    return {
      kind,
      type,
      to,
      effects: effects.split(' ').filter(Boolean),
      isPossible: !impossible[kind].includes(type),
    };
  }),
);
const ask = (kind: Kind, type: EventType) => next(samples[kind], events[type], contextOf({ now: 1 }));

const excess = { reason: { cause: 'age' as const }, failed: 1, next: null };
const failing = { kind: 'exception' as const, until: 1, isOver: true };

/** Events that the samples ignore, but that concern a process of the same kind of which more is known. */
const concerned: { state: State; type: EventType; effects: string[]; after: object }[] = [
  {
    state: { ...samples.starting, excess },
    type: 'kept',
    effects: ['emitKept'],
    after: { kind: 'starting', excess: { failed: 2, next: 10_001 } },
  },
  {
    state: { ...samples.online, excess },
    type: 'kept',
    effects: ['emitKept'],
    after: { kind: 'online', excess: { failed: 2, next: 10_001 } },
  },
  {
    state: { ...samples.online, failing },
    type: 'deadline',
    effects: ['livesOn'],
    after: { kind: 'online' },
  },
  {
    state: { ...samples.waiting, isBinding: true },
    type: 'bound',
    effects: ['spawn'],
    after: { kind: 'spawning' },
  },
];

describe('the table of processes', () => {
  it.each(concerned)('heeds $type while $state.kind, if it concerns the process', ({ state, type, effects, after }) => {
    const { state: found, effects: then } = next(state, events[type], contextOf({ now: 1 }));
    expect(then.map((effect) => effect.do)).toEqual(effects);
    expect(found).toMatchObject(after);
  });

  it.each(cells.filter(({ to }) => to))('goes from $kind to $to on $type', ({ kind, type, to, effects }) => {
    const { state, effects: found } = ask(kind, type);
    expect([state.kind, ...found.map((effect) => effect.do)]).toEqual([to, ...effects]);
    expect(found.length > 0 || JSON.stringify(state) !== JSON.stringify(samples[kind])).toBe(true);
  });

  it.each(cells.filter(({ to, isPossible }) => isPossible && !to))('ignores $type while $kind', ({ kind, type }) => {
    expect(ask(kind, type)).toEqual({ state: samples[kind], effects: [] });
  });

  it.each(cells.filter(({ isPossible }) => !isPossible))('reports $type while $kind as a bug of nsv', (cell) => {
    const { kind, type } = cell;
    expect(() => ask(kind, type)).toThrow(`"${type}" reached "web" while ${kind}`);
  });
});
