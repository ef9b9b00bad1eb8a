// An app that is to say when it is ready, and never does.
import { describe, expect, it } from 'vitest';
import { Supervised } from '../../../helpers/supervised.ts';

describe('a process whose message is awaited', () => {
  it('is ready at the deadline without its message if it listens, where that suffices', () => {
    const rules = { waitReady: true, listenSuffices: true };
    const web = Supervised.started({ readiness: 'message', listens: true, rules });
    web.waitsUntil(29_999);
    expect(web.state.kind).toBe('starting');
    web.waitsUntil(30_000);
    expect(web.state.kind).toBe('online');
    expect(web.effects).toContain('noteReport');
  });

  it('is ready without its message when it listens later, where that suffices', () => {
    const web = Supervised.started({ readiness: 'message', rules: { waitReady: true, listenSuffices: true } });
    web.waitsUntil(30_000);
    expect(web.state).toMatchObject({ kind: 'starting', late: true });
    web.happens({ type: 'listening' });
    expect(web.state.kind).toBe('online');
  });
});
