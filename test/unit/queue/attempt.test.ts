import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type AttemptEnd, outcomeOf, RunningAttempt } from '../../../src/queue/attempt.ts';
import { queueSettingsOf } from '../../../src/queue/options.ts';

const settings = queueSettingsOf({ retries: 2, backoff: { delay: 1_000, max: 3_000 } });
const failed: AttemptEnd = { kind: 'failed', error: 'no luck' };
const hasFailed = { state: 'failed', error: 'no luck' };

describe('the outcome of an attempt', () => {
  it.each<[string, AttemptEnd, number, object]>([
    ['a result', { kind: 'returned', result: '1' }, 0, { state: 'completed', result: '1' }],
    ['no result', { kind: 'returned', result: undefined }, 0, { state: 'completed', result: undefined }],
    ['the end of the process', { kind: 'cut' }, 2, { state: 'released' }],
    ['the first failure', failed, 0, { state: 'retry', error: 'no luck', delay: 1_000 }],
    ['the second failure', failed, 1, { state: 'retry', error: 'no luck', delay: 2_000 }],
    ['the last failure', failed, 2, hasFailed],
    ['more failures than were allowed then', failed, 9, hasFailed],
    ['a failure that another attempt would not mend', { ...failed, final: true }, 0, hasFailed],
  ])('depends on its end: %s', (_what, end, failures, outcome) => {
    expect(outcomeOf(end, failures, settings, 0)).toEqual(outcome);
  });

  it('waits longer after each failure, up to a limit', () => {
    const patient = queueSettingsOf({ retries: 100, backoff: { delay: 1_000, max: 3_000 } });
    const delays = [0, 1, 2, 3, 50].map((failures) => outcomeOf(failed, failures, patient, 0));
    expect(delays.map((outcome) => 'delay' in outcome && outcome.delay)).toEqual([1_000, 2_000, 3_000, 3_000, 3_000]);
  });

  it('spreads the retries of tasks that failed together', () => {
    expect(outcomeOf(failed, 0, settings, 0.5)).toMatchObject({ delay: 900 });
    expect(outcomeOf(failed, 0, settings, 1)).toMatchObject({ delay: 800 });
  });
});

describe('an attempt whose time is over', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  const tooLong = { kind: 'failed', error: 'took longer than 1000 ms' };

  /** `heeds`: after how many milliseconds the handler heeds its signal. */
  function begun(heeds: number, { exits = false } = {}) {
    const task = { id: 'a', state: 'running', data: '1', failures: 0, deaths: 0, addedAt: 0 } as const;
    const attempt = new RunningAttempt({ queue: 'q', id: 'a', token: 1 }, task);
    const found: { end?: AttemptEnd; hangs: boolean } = { hangs: false };
    const handler = (_task: unknown, { signal }: { signal: AbortSignal }) =>
      new Promise((resolve) => signal.addEventListener('abort', () => setTimeout(resolve, heeds, 'late')));
    const hangs = () => {
      found.hangs = true;
    };
    void attempt
      .run(handler, 1_000, () => {}, exits ? hangs : undefined)
      .then((end) => {
        found.end = end;
      });
    return { attempt, found };
  }

  it('has failed at once, whatever its handler does', async () => {
    const { found } = begun(100_000);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(found).toEqual({ end: tooLong, hangs: false });
  });

  it('is waited for if its process would exit, and has failed whatever the handler returns', async () => {
    const { found } = begun(4_000, { exits: true });
    await vi.advanceTimersByTimeAsync(4_999);
    expect(found.end).toBeUndefined();
    await vi.advanceTimersByTimeAsync(10_000);
    expect(found).toEqual({ end: tooLong, hangs: false });
  });

  it('ends its process after 5 more seconds, and has failed then', async () => {
    const { attempt, found } = begun(100_000, { exits: true });
    await vi.advanceTimersByTimeAsync(5_999);
    expect(found.hangs).toBe(false);
    await vi.advanceTimersByTimeAsync(1);
    expect(found).toEqual({ hangs: true });
    attempt.cut('the process ends');
    await vi.advanceTimersByTimeAsync(0);
    expect(found.end).toEqual(tooLong);
  });
});
