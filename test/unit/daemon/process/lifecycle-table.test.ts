import { describe, expect, it } from 'vitest';
import {
  eventTypes,
  kinds,
  type LifecycleEvent,
  next,
  type TransitionContext,
} from '../../../../src/daemon/process/lifecycle.ts';
import type { Verdict } from '../../../../src/daemon/process/restart-policy.ts';
import { samples } from '../../../helpers/states.ts';

const again: Verdict = { kind: 'again', delay: 0, failures: 1 };

describe('the table', () => {
  const events: Record<LifecycleEvent['type'], LifecycleEvent> = {
    start: { type: 'start' },
    stop: { type: 'stop' },
    adopt: { type: 'adopt', state: { kind: 'stopped' } },
    succeed: { type: 'succeed', delay: 0, failures: 1 },
    leave: { type: 'leave', verdict: again },
    condemn: { type: 'condemn', reason: 'x' },
    answered: { type: 'answered' },
    spawned: { type: 'spawned', pid: 1 },
    failed: { type: 'failed', verdict: again },
    ready: { type: 'ready' },
    listening: { type: 'listening' },
    exited: { type: 'exited', verdict: again },
    cleared: { type: 'cleared' },
    deadline: { type: 'deadline' },
  };
  const context: TransitionContext = {
    name: 'web',
    now: 0,
    killTimeout: 1,
    minUptime: 1,
    listenTimeout: 1,
    retryAfter: 0,
    readiness: 'any',
  };
  const cells = kinds.flatMap((kind) => eventTypes.map((type) => ({ kind, type })));

  it.each(cells)('answers $type while $kind with a state, or names the cell as a mistake of nsv', ({ kind, type }) => {
    try {
      expect(kinds).toContain(next(samples[kind], events[type], context).state.kind);
    } catch (error) {
      expect(error).toMatchObject({
        code: 'INTERNAL',
        message: expect.stringContaining(`"${type}" reached "web" while ${kind}`),
      });
    }
  });

  it.each(kinds.filter((kind) => kind !== 'spawning'))('takes start and stop while %s', (kind) => {
    expect(() => next(samples[kind], events.start, context)).not.toThrow();
    expect(() => next(samples[kind], events.stop, context)).not.toThrow();
  });
});
