import { describe, expect, it } from 'vitest';
import { type AttemptEnd, outcomeOf } from '../../../src/queue/attempt.ts';
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
