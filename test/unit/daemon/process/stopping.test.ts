import { describe, expect, it } from 'vitest';
import { deadlineOf } from '../../../../src/daemon/process/lifecycle/state.ts';
import { asked } from '../../../../src/ipc/records/deaths.ts';
import { Supervised } from '../../../helpers/supervised.ts';

describe('a process asked to stop', () => {
  const stopping = () => {
    const web = new Supervised();
    web.happens({ type: 'start' });
    web.happens({ type: 'ready' });
    web.effects = [];
    web.happens({ type: 'stop', reason: asked('stop') });
    return web;
  };

  it('is asked, and is stopped as soon as it and all its descendants are gone', () => {
    const web = stopping();
    expect(web.effects).toEqual(['ask']);
    web.exits(0);
    expect(web.state).toEqual({ kind: 'stopped' });
  });

  it('is killed at the kill timeout, and again as long as it does not go', () => {
    const web = stopping();
    web.waitsUntil(4_999);
    expect(web.effects).toEqual(['ask']);
    web.waitsUntil(5_000);
    expect(web.effects).toEqual(['ask', 'kill']);
    expect(web.told.at(-1)).toEqual({ do: 'tellOverdue', pid: 42 });
    web.waitsUntil(6_000);
    expect(web.effects).toEqual(['ask', 'kill', 'kill']);
    expect(web.told.filter((effect) => effect.do === 'tellOverdue')).toHaveLength(1);
  });

  it('has its orphans asked once it is gone, and killed at the timeout it was given', () => {
    const web = stopping();
    web.orphans = true;
    web.waitsUntil(1_000);
    web.exits(0);
    expect(web.effects).toEqual(['ask', 'signal', 'look']);
    web.waitsUntil(4_999);
    expect(web.effects).not.toContain('kill');
    web.waitsUntil(5_000);
    expect(web.effects).toContain('kill');
    expect(web.told.map((effect) => effect.do)).not.toContain('tellOverdue');
    expect(web.state.kind).toBe('stopping');
    web.orphans = false;
    web.waitsUntil(5_020);
    expect(web.state.kind).toBe('stopped');
  });

  it('starts again after it is gone when that was asked meanwhile, and does not when it was taken back', () => {
    const web = stopping();
    web.happens({ type: 'start' });
    web.exits(0);
    expect(web.state.kind).toBe('starting');

    const other = stopping();
    other.happens({ type: 'start' });
    other.happens({ type: 'stop', reason: asked('stop') });
    other.exits(0);
    expect(other.state.kind).toBe('stopped');
  });

  it('keeps the first reason, and tells it with the exit', () => {
    const web = stopping();
    web.happens({ type: 'stop', reason: asked('delete') });
    web.happens({ type: 'leaving', reason: { cause: 'uncaught error', detail: 'Error: oops' } });
    web.happens({ type: 'exceeded', reason: { cause: 'memory limit' } });
    expect(web.state).toMatchObject({ why: { cause: 'asked', by: 'stop' } });
    web.exits(0);
    const exit = { code: 0, signal: null };
    expect(web.told.at(-1)).toEqual({ do: 'tellExited', exit, asked: true, why: asked('stop') });
  });

  it('ignores that it became ready meanwhile', () => {
    const web = stopping();
    web.happens({ type: 'ready' });
    web.happens({ type: 'listening' });
    expect(web.state.kind).toBe('stopping');
  });

  it('needs no killing when it only waited for its restart', () => {
    const web = new Supervised();
    web.spawnFails = 'ENOMEM';
    web.happens({ type: 'start' });
    expect(web.state.kind).toBe('backoff');
    web.happens({ type: 'stop', reason: asked('stop') });
    expect(web.state).toEqual({ kind: 'stopped' });
    expect(deadlineOf(web.state)).toBeNull();
  });
});

describe('a process asked by a message', () => {
  const messaged = () => {
    const web = new Supervised();
    web.takesMessages = true;
    web.happens({ type: 'start' });
    web.happens({ type: 'ready' });
    web.effects = [];
    web.happens({ type: 'stop', reason: asked('stop') });
    return web;
  };

  it('is not signalled when it answers', () => {
    const web = messaged();
    web.happens({ type: 'answered' });
    web.waitsUntil(4_999);
    expect(web.effects).toEqual(['ask']);
  });

  it('is not signalled by a timer that comes early', () => {
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
    'is sent SIGKILL while %s, and ends as ever',
    (kind) => {
      const web = new Supervised();
      if (kind !== 'stopped') web.happens({ type: 'start' });
      if (kind === 'online' || kind === 'stopping') web.happens({ type: 'ready' });
      if (kind === 'stopping') web.happens({ type: 'stop', reason: asked('stop') });
      const before = web.state;
      web.happens({ type: 'kill' });
      expect(web.state).toBe(before);
      expect(web.effects.at(-1)).toBe('kill');
    },
  );
});
