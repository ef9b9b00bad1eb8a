import { describe, expect, it } from 'vitest';
import { deadlineOf, giveupReasonOf, type TransitionContext } from '../../../../src/daemon/process/lifecycle.ts';
import type { Verdict } from '../../../../src/daemon/process/restart-policy.ts';
import { Supervised } from '../../../helpers/supervised.ts';

const again: Verdict = { kind: 'again', delay: 0, failures: 1 };

describe('a process that was started', () => {
  it('is ready as soon as it listens', () => {
    const web = new Supervised();
    web.happens({ type: 'start' });
    expect(web.state).toMatchObject({ kind: 'starting', pid: 42, deadline: 1_000 });
    web.happens({ type: 'listening' });
    expect(web.state).toEqual({ kind: 'online', failures: 0, pid: 42, since: 0 });
  });

  it('is ready once it has stayed up when it says nothing', () => {
    const web = new Supervised();
    web.happens({ type: 'start' });
    web.waitsUntil(999);
    expect(web.state.kind).toBe('starting');
    web.waitsUntil(1_000);
    expect(web.state.kind).toBe('online');
  });

  it('is not ready by listening when its own word is waited for', () => {
    const web = new Supervised({ readiness: 'message' });
    web.happens({ type: 'start' });
    web.happens({ type: 'listening' });
    expect(web.state.kind).toBe('starting');
    web.happens({ type: 'ready' });
    expect(web.state.kind).toBe('online');
  });

  it.each(['message', 'listening'] as const)(
    'is late, not killed, when no %s came in time, and may still become ready',
    (readiness) => {
      const web = new Supervised({ readiness });
      web.happens({ type: 'start' });
      web.waitsUntil(30_000);
      expect(web.state).toMatchObject({ kind: 'starting', late: true, deadline: null });
      web.happens({ type: 'ready' });
      expect(web.state.kind).toBe('online');
      expect(web.effects).toEqual(['spawn']);
    },
  );
});

describe('a process that ends by itself', () => {
  const online = (settings?: Partial<TransitionContext>) => {
    const web = new Supervised(settings);
    web.happens({ type: 'start' });
    web.happens({ type: 'ready' });
    web.effects = [];
    return web;
  };

  it('is started again at once, after what it left behind was removed', () => {
    const web = online();
    web.happens({ type: 'exited', verdict: again });
    expect(web.effects).toEqual(['clean', 'spawn']);
    expect(web.state).toMatchObject({ kind: 'starting', failures: 1 });
  });

  it('is started again once its delay has passed', () => {
    const web = online();
    web.happens({ type: 'exited', verdict: { kind: 'again', delay: 200, failures: 3 } });
    expect(web.state).toEqual({ kind: 'backoff', failures: 3, deadline: 200 });
    web.waitsUntil(199);
    expect(web.effects).toEqual(['clean']);
    web.waitsUntil(200);
    expect(web.state).toMatchObject({ kind: 'starting', failures: 3 });
  });

  it('is left stopped when it is not to be restarted', () => {
    const web = online();
    web.happens({ type: 'exited', verdict: { kind: 'rest' } });
    expect(web.state).toEqual({ kind: 'stopped' });
  });

  it('is errored with the reason when nsv gives up, and starts afresh when told to', () => {
    const web = online();
    web.happens({ type: 'exited', verdict: { kind: 'giveup', reason: 'too often' } });
    expect(web.state).toEqual({ kind: 'errored', reason: 'too often', deadline: null });
    web.happens({ type: 'start' });
    expect(web.state).toMatchObject({ kind: 'starting', failures: 0 });
  });

  it('is treated the same when it could not even be executed', () => {
    const web = new Supervised();
    web.spawnFails = { kind: 'giveup', reason: 'EACCES' };
    web.happens({ type: 'start' });
    expect(web.state).toEqual({ kind: 'errored', reason: 'EACCES', deadline: null });
  });
});

describe('a process asked to stop', () => {
  const stopping = () => {
    const web = new Supervised();
    web.happens({ type: 'start' });
    web.happens({ type: 'ready' });
    web.effects = [];
    web.happens({ type: 'stop' });
    return web;
  };

  it('is asked, and is stopped as soon as it and all its descendants are gone', () => {
    const web = stopping();
    expect(web.effects).toEqual(['ask']);
    web.happens({ type: 'exited', verdict: { kind: 'rest' } });
    expect(web.state).toEqual({ kind: 'stopped' });
  });

  it('is killed at the kill timeout, and again as long as it does not go', () => {
    const web = stopping();
    web.waitsUntil(4_999);
    expect(web.effects).toEqual(['ask']);
    web.waitsUntil(5_000);
    expect(web.effects).toEqual(['ask', 'kill']);
    web.waitsUntil(6_000);
    expect(web.effects).toEqual(['ask', 'kill', 'kill']);
  });

  it('has its orphans asked once it is gone, and killed at the timeout it was given', () => {
    const web = stopping();
    web.orphans = true;
    web.waitsUntil(1_000);
    web.happens({ type: 'exited', verdict: { kind: 'rest' } });
    expect(web.effects).toEqual(['ask', 'signal', 'look']);
    web.waitsUntil(4_999);
    expect(web.effects).not.toContain('kill');
    web.waitsUntil(5_000);
    expect(web.effects).toContain('kill');
    expect(web.state.kind).toBe('stopping');
    web.orphans = false;
    web.waitsUntil(5_020);
    expect(web.state.kind).toBe('stopped');
  });

  it('starts again after it is gone when that was asked meanwhile, and does not when it was taken back', () => {
    const web = stopping();
    web.happens({ type: 'start' });
    web.happens({ type: 'exited', verdict: { kind: 'rest' } });
    expect(web.state.kind).toBe('starting');

    const other = stopping();
    other.happens({ type: 'start' });
    other.happens({ type: 'stop' });
    other.happens({ type: 'exited', verdict: { kind: 'rest' } });
    expect(other.state.kind).toBe('stopped');
  });

  it('ignores that it became ready meanwhile', () => {
    const web = stopping();
    web.happens({ type: 'ready' });
    web.happens({ type: 'listening' });
    expect(web.state.kind).toBe('stopping');
  });

  it('needs no killing when it only waited for its restart', () => {
    const web = new Supervised();
    web.spawnFails = { kind: 'again', delay: 100, failures: 1 };
    web.happens({ type: 'start' });
    expect(web.state.kind).toBe('backoff');
    web.happens({ type: 'stop' });
    expect(web.state).toEqual({ kind: 'stopped' });
    expect(deadlineOf(web.state)).toBeNull();
  });
});

describe('a process asked by a message', () => {
  const asked = () => {
    const web = new Supervised();
    web.takesMessages = true;
    web.happens({ type: 'start' });
    web.happens({ type: 'ready' });
    web.effects = [];
    web.happens({ type: 'stop' });
    return web;
  };

  it('is not signalled when it answers', () => {
    const web = asked();
    web.happens({ type: 'answered' });
    web.waitsUntil(4_999);
    expect(web.effects).toEqual(['ask']);
  });

  it('is not signalled by a timer that comes early', () => {
    const web = asked();
    web.happens({ type: 'answered' });
    web.now = 4_999.6;
    web.happens({ type: 'deadline' });
    expect(web.effects).toEqual(['ask']);
    expect(deadlineOf(web.state)).toBe(5_000);
  });

  it('is signalled when its loop is blocked, then killed', () => {
    const web = asked();
    web.waitsUntil(1_000);
    expect(web.effects).toEqual(['ask', 'signal']);
    web.waitsUntil(5_000);
    expect(web.effects).toEqual(['ask', 'signal', 'kill']);
  });
});

describe('a process that leaves by itself', () => {
  it('gets until the kill timeout to finish, and is not asked again', () => {
    const web = new Supervised();
    web.happens({ type: 'start' });
    web.happens({ type: 'ready' });
    web.happens({ type: 'leave', verdict: again });
    web.effects = [];
    web.waitsUntil(4_999);
    expect(web.effects).toEqual([]);
    web.waitsUntil(5_000);
    expect(web.effects).toEqual(['kill']);
    web.happens({ type: 'exited', verdict: again });
    expect(web.state).toEqual({ kind: 'stopped' });
  });

  it.each([
    { end: 'is errored', happens: [], state: { kind: 'errored', reason: 'too often', deadline: 65_000 } },
    { end: 'is stopped where that was asked meanwhile', happens: ['stop'], state: { kind: 'stopped' } },
    { end: 'starts where that was asked meanwhile', happens: ['start'], state: { kind: 'starting', failures: 0 } },
  ] as const)('finishes first when nsv gives up on it, then $end', ({ happens, state }) => {
    const web = new Supervised({ retryAfter: 60_000 });
    web.happens({ type: 'start' });
    web.happens({ type: 'ready' });
    web.happens({ type: 'leave', verdict: { kind: 'giveup', reason: 'too often' } });
    expect(giveupReasonOf(web.state)).toBe('too often');
    for (const type of happens) web.happens({ type });
    web.waitsUntil(5_000);
    expect(web.effects).toEqual(['spawn', 'kill']);
    web.happens({ type: 'exited', verdict: { kind: 'rest' } });
    expect(web.state).toMatchObject(state);
  });

  it('has a successor that starts at once, or after the delay of a restart', () => {
    const web = new Supervised();
    web.happens({ type: 'succeed', delay: 0, failures: 2 });
    expect(web.state).toMatchObject({ kind: 'starting', failures: 2 });
    const other = new Supervised();
    other.happens({ type: 'succeed', delay: 50, failures: 2 });
    expect(other.state).toEqual({ kind: 'backoff', failures: 2, deadline: 50 });
  });
});

describe('a process that nsv gives up on while it serves', () => {
  it('is asked to stop like any other, killed at the kill timeout, and errored when it is gone', () => {
    const web = new Supervised({ retryAfter: 60_000 });
    web.happens({ type: 'start' });
    web.happens({ type: 'ready' });
    web.happens({ type: 'condemn', reason: 'too often' });
    web.happens({ type: 'condemn', reason: 'again' });
    expect(giveupReasonOf(web.state)).toBe('too often');
    web.waitsUntil(5_000);
    expect(web.effects).toEqual(['spawn', 'ask', 'kill']);
    web.happens({ type: 'exited', verdict: { kind: 'rest' } });
    expect(web.state).toEqual({ kind: 'errored', reason: 'too often', deadline: 65_000 });
  });
});

describe('an app that nsv has given up', () => {
  it('is tried again when that was asked', () => {
    const web = new Supervised({ retryAfter: 60_000 });
    web.spawnFails = { kind: 'giveup', reason: 'too often' };
    web.happens({ type: 'start' });
    expect(web.state).toEqual({ kind: 'errored', reason: 'too often', deadline: 60_000 });
    web.spawnFails = undefined;
    web.waitsUntil(60_000);
    expect(web.state.kind).toBe('starting');
  });
});
