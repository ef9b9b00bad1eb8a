// From when on the minimum uptime counts.
import { describe, expect, it } from 'vitest';
import { Supervised } from '../../../helpers/supervised.ts';

describe('a process that reports when its program is loaded', () => {
  const loads = () => Supervised.started({ reportsLoaded: true });

  it('counts as ready after the minimum uptime from then on', () => {
    const web = loads();
    web.waitsUntil(5_000);
    web.happens({ type: 'loaded' });
    expect(web.state).toMatchObject({ kind: 'starting', loadedAt: 5_000, deadline: 6_000 });
    web.waitsUntil(6_000);
    expect(web.state).toMatchObject({ kind: 'online', loadedAt: 5_000 });
    expect(web.effects).toContain('noteSilence');
  });

  it('is ready before that if it listens', () => {
    const web = loads();
    web.waitsUntil(5_000);
    web.happens({ type: 'listening' });
    expect(web.state).toMatchObject({ kind: 'online', loadedAt: 5_000 });
    expect(web.effects).not.toContain('noteSilence');
  });

  it('counts as ready at the listen timeout at the latest', () => {
    const web = loads();
    web.waitsUntil(29_999);
    expect(web.state.kind).toBe('starting');
    web.waitsUntil(30_000);
    expect(web.state.kind).toBe('online');
  });

  it('has exited early if it exits before that, however long it took', () => {
    const web = loads();
    web.waitsUntil(20_000);
    web.exits(1);
    expect(web.state).toMatchObject({ kind: 'starting', failures: 1 });
  });

  it('has not exited early if it exits after the minimum uptime', () => {
    const web = loads();
    web.happens({ type: 'loaded' });
    web.waitsUntil(1_000);
    web.exits(1);
    expect(web.state).toMatchObject({ kind: 'starting', failures: 0 });
  });
});
