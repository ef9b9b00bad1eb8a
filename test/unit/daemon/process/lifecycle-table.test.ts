import { describe, expect, it } from 'vitest';
import { eventTypes, kinds, next } from '../../../../src/daemon/process/lifecycle.ts';
import type { LifecycleEvent } from '../../../../src/daemon/process/state.ts';
import { asked } from '../../../../src/ipc/records/deaths.ts';
import { samples } from '../../../helpers/states.ts';
import { contextOf } from '../../../helpers/supervised.ts';

const events: { [T in LifecycleEvent['type']]: Extract<LifecycleEvent, { type: T }> } = {
  start: { type: 'start' },
  stop: { type: 'stop', reason: asked('stop') },
  kill: { type: 'kill' },
  adopt: { type: 'adopt', state: { kind: 'stopped' } },
  succeed: { type: 'succeed', delay: 0, failures: 1 },
  resume: { type: 'resume' },
  retry: { type: 'retry' },
  leaving: { type: 'leaving', reason: { cause: 'uncaught error', detail: 'Error: oops' } },
  exceeded: { type: 'exceeded', reason: { cause: 'memory limit', detail: 'memory 2G' } },
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

/** What cannot happen: where it does, nsv is wrong. */
const impossible: Record<(typeof kinds)[number], (typeof eventTypes)[number][]> = {
  stopped: ['spawned', 'failed', 'deadline'],
  spawning: eventTypes.filter((type) => type !== 'spawned' && type !== 'failed'),
  starting: ['adopt', 'succeed', 'spawned', 'failed'],
  online: ['adopt', 'succeed', 'spawned', 'failed', 'deadline'],
  stopping: ['adopt', 'succeed', 'spawned', 'failed'],
  backoff: ['adopt', 'succeed', 'spawned', 'failed'],
  errored: ['adopt', 'succeed', 'spawned', 'failed'],
};

const cells = kinds.flatMap((kind) =>
  eventTypes.map((type) => ({ kind, type, isPossible: !impossible[kind].includes(type) })),
);
const ask = (kind: (typeof kinds)[number], type: (typeof eventTypes)[number]) =>
  next(samples[kind], events[type], contextOf());

describe('the table', () => {
  it.each(cells.filter(({ isPossible }) => isPossible))('answers $type while $kind with a state', ({ kind, type }) => {
    expect(kinds).toContain(ask(kind, type).state.kind);
  });

  it.each(cells.filter(({ isPossible }) => !isPossible))('calls $type while $kind a fault of nsv', ({ kind, type }) => {
    expect(() => ask(kind, type)).toThrow(`"${type}" reached "web" while ${kind}`);
  });
});
