import { describe, expect, it } from 'vitest';
import { deadlineOf } from '../../../../src/daemon/process/lifecycle/state.ts';
import { asked } from '../../../../src/ipc/records/deaths.ts';
import { Supervised } from '../../../helpers/supervised.ts';

describe('a process asked to stop', () => {
  const stopping = () => {
    const web = Supervised.online();
    web.isAskedToStop();
    return web;
  };

  it('is stopped as soon as it and all its descendants are gone', () => {
    const web = stopping();
    expect(web.effects).toEqual(['ask']);
    web.exits(0);
    expect(web.state).toEqual({ kind: 'stopped' });
  });

  it('is killed at the kill timeout, and again while it does not exit', () => {
    const web = stopping();
    web.waitsUntil(4_999);
    expect(web.effects).toEqual(['ask']);
    web.waitsUntil(5_000);
    expect(web.effects).toEqual(['ask', 'kill']);
    expect(web.reported.at(-1)).toEqual({ do: 'emitOverdue', pid: 42, limit: 5_000 });
    web.waitsUntil(6_000);
    expect(web.effects).toEqual(['ask', 'kill', 'kill']);
    expect(web.reported.filter((effect) => effect.do === 'emitOverdue')).toHaveLength(1);
  });

  it('has its orphans asked to stop once it has exited, and killed at its kill timeout', () => {
    const web = stopping();
    web.orphans = true;
    web.waitsUntil(1_000);
    web.exits(0);
    expect(web.effects).toEqual(['ask', 'signal', 'look']);
    web.waitsUntil(4_999);
    expect(web.effects).not.toContain('kill');
    web.waitsUntil(5_000);
    expect(web.effects).toContain('kill');
    expect(web.reported.map((effect) => effect.do)).not.toContain('emitOverdue');
    expect(web.state.kind).toBe('stopping');
    web.orphans = false;
    web.waitsUntil(5_020);
    expect(web.state.kind).toBe('stopped');
  });

  it('starts again after its exit if a start was requested in the meantime and not revoked', () => {
    const web = stopping();
    web.happens({ type: 'start' });
    web.exits(0);
    expect(web.state.kind).toBe('starting');

    const other = stopping();
    other.happens({ type: 'start' });
    other.isAskedToStop();
    other.exits(0);
    expect(other.state.kind).toBe('stopped');
  });

  it('keeps the first reason, and reports it with the exit', () => {
    const web = stopping();
    web.happens({ type: 'stop', reason: asked('delete') });
    web.happens({ type: 'leaving', reason: { cause: 'uncaught error', detail: 'Error: oops' } });
    web.happens({ type: 'exceeded', reason: { cause: 'memory limit' } });
    expect(web.state).toMatchObject({ why: { cause: 'asked', by: 'stop' } });
    web.exits(0);
    const exit = { code: 0, signal: null };
    expect(web.reported.at(-1)).toEqual({ do: 'emitExited', exit, asked: true, why: asked('stop') });
  });

  it('ignores its readiness', () => {
    const web = stopping();
    web.happens({ type: 'ready' });
    web.happens({ type: 'listening' });
    expect(web.state.kind).toBe('stopping');
  });

  it('is stopped at once if it was only waiting for its restart', () => {
    const web = new Supervised();
    web.spawnFails = 'ENOMEM';
    web.happens({ type: 'start' });
    expect(web.state.kind).toBe('backoff');
    web.isAskedToStop();
    expect(web.state).toEqual({ kind: 'stopped' });
    expect(deadlineOf(web.state)).toBeNull();
  });
});

describe('a process asked to stop by a message', () => {
  const messaged = () => {
    const web = Supervised.online();
    web.takesMessages = true;
    web.isAskedToStop();
    return web;
  };

  it('is not signalled when it answers', () => {
    const web = messaged();
    web.happens({ type: 'answered' });
    web.waitsUntil(4_999);
    expect(web.effects).toEqual(['ask']);
  });

  it('is not signalled by a timer that fires early', () => {
    const web = messaged();
    web.happens({ type: 'answered' });
    web.now = 4_999.6;
    web.happens({ type: 'deadline' });
    expect(web.effects).toEqual(['ask']);
    expect(deadlineOf(web.state)).toBe(5_000);
  });

  it('is signalled when its loop is blocked, then killed', () => {
    const web = messaged();
    web.waitsUntil(1_000);
    expect(web.effects).toEqual(['ask', 'signal']);
    web.waitsUntil(5_000);
    expect(web.effects).toEqual(['ask', 'signal', 'kill']);
  });
});

describe('a process that is killed', () => {
  it.each(['starting', 'online', 'stopping', 'stopped'] as const)(
    'is sent SIGKILL while %s, without a change of state',
    (kind) => {
      const web = new Supervised();
      if (kind !== 'stopped') web.happens({ type: 'start' });
      if (kind === 'online' || kind === 'stopping') web.happens({ type: 'ready' });
      if (kind === 'stopping') web.isAskedToStop();
      const before = web.state;
      web.happens({ type: 'kill' });
      expect(web.state).toBe(before);
      expect(web.effects.at(-1)).toBe('kill');
    },
  );
});
