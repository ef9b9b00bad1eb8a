// A start that is due, and waits for apps or sockets.
import { describe, expect, it } from 'vitest';
import { isAtRest } from '../../../../src/daemon/process/lifecycle/classes.ts';
import { next } from '../../../../src/daemon/process/lifecycle/lifecycle.ts';
import type { In, State, TransitionContext } from '../../../../src/daemon/process/lifecycle/state.ts';
import { contextOf } from '../../../helpers/supervised.ts';

const restart: In<'waiting'> = {
  kind: 'waiting',
  failures: 2,
  reason: null,
  isReported: false,
  isBinding: false,
  deadline: null,
};
const retry: In<'waiting'> = { ...restart, failures: 0, reason: 'too many restarts' };
const changed = { type: 'changed' } as const;
const bound = { type: 'bound', aborted: false } as const;

function ask(state: State, event: Parameters<typeof next>[1], given: Partial<TransitionContext> = {}) {
  const { rules: _rules, ...context } = given;
  const { state: after, effects } = next(state, event, contextOf({ now: 1_000, ...context }));
  return { after, effects: effects.map((effect) => effect.do) };
}

describe('a restart that is due', () => {
  it('starts the process if nothing is missing', () => {
    expect(ask(restart, changed)).toEqual({ after: { kind: 'spawning', failures: 2 }, effects: ['spawn'] });
  });

  it('waits for the apps that it depends on, and reports it once', () => {
    const { after, effects } = ask(restart, changed, { missingApps: ['db'] });
    expect(effects).toEqual(['emitHeld']);
    expect(ask(after, changed, { missingApps: ['db', 'cache'] })).toEqual({ after, effects: [] });
    expect(ask(after, changed).after.kind).toBe('spawning');
  });

  it('waits without a report until all apps are known', () => {
    expect(ask(restart, changed, { missingApps: undefined })).toEqual({ after: restart, effects: [] });
  });

  it('waits while other processes of the app have the sockets that it needs', () => {
    expect(ask(restart, changed, { sockets: 'inUse' })).toEqual({ after: restart, effects: [] });
  });

  it('binds lost sockets first, one attempt at a time', () => {
    const { after, effects } = ask(restart, changed, { sockets: 'lost' });
    expect(effects).toEqual(['bind']);
    expect(ask(after, changed, { sockets: 'lost' })).toEqual({ after, effects: [] });
    expect(ask(after, bound).effects).toEqual(['spawn']);
  });

  it('waits for a second if nsv itself lacks what it needs, which does not count, unless it is only tried', () => {
    const failed = { type: 'failed', detail: 'gone', isOurs: true } as const;
    const spawning = { kind: 'spawning', failures: 2 } as const;
    const { after, effects } = ask(spawning, failed);
    expect([after, effects]).toEqual([{ ...restart, deadline: 2_000 }, []]);
    expect(ask(after, { type: 'deadline' }, { now: 2_000 }).after).toEqual(spawning);
    expect(ask(spawning, failed, { holdsSlot: false }).after).toEqual({ kind: 'stopped' });
  });

  it('retries 250 ms after a failed attempt to bind', () => {
    const binding = { ...restart, isBinding: true };
    const { after, effects } = ask(binding, bound, { sockets: 'lost' });
    expect([after, effects]).toEqual([{ ...restart, deadline: 1_250 }, []]);
    expect(ask(after, changed, { sockets: 'lost', now: 1_249 })).toEqual({ after, effects: [] });
    expect(ask(after, { type: 'deadline' }, { sockets: 'lost', now: 1_250 }).effects).toEqual(['bind']);
  });

  it('waits for a process that turns out to have the sockets', () => {
    const binding = { ...restart, isBinding: true };
    expect(ask(binding, bound, { sockets: 'inUse' })).toEqual({ after: restart, effects: [] });
  });

  it('does not start when a command has aborted the attempt to bind', () => {
    const binding = { ...restart, isBinding: true };
    expect(ask(binding, { type: 'bound', aborted: true }).after).toEqual({ ...restart, deadline: 1_250 });
  });
});

describe('a retry after a giveup', () => {
  it('binds the sockets in any case, as the giveup has closed them', () => {
    expect(ask(retry, changed).effects).toEqual(['bind']);
  });

  it('starts without sockets that cannot be bound, which counts as a restart', () => {
    const { after, effects } = ask({ ...retry, isBinding: true }, bound, { sockets: 'lost' });
    expect([after, effects]).toEqual([{ kind: 'spawning', failures: 0 }, ['countRestart', 'spawn']]);
  });

  it('counts as at rest, unlike a restart', () => {
    expect([isAtRest({ state: retry }), isAtRest({ state: restart })]).toEqual([true, false]);
  });
});
