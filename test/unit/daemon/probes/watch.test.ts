import { beforeEach, describe, expect, it } from 'vitest';
import type { ProbeAnswer } from '../../../../src/daemon/probes/standing.ts';
import { watchProbe } from '../../../../src/daemon/probes/watch.ts';
import { FakeClock, settle } from '../../../helpers/fake-clock.ts';

const good: ProbeAnswer = { ok: true };
let clock: FakeClock;
let asked: { abort: AbortSignal; answer(answer?: ProbeAnswer): void }[];
let received: ProbeAnswer[];

beforeEach(() => {
  clock = new FakeClock();
  asked = [];
  received = [];
});

function watch(settings: { first?: number; timeout?: number } = {}): () => void {
  const ask: Ask = (abort) =>
    new Promise((resolve, reject) => {
      abort.addEventListener('abort', () => reject(new Error('withdrawn')));
      asked.push({ abort, answer: resolve });
    });
  return watchWith(ask, settings);
}

type Ask = (abort: AbortSignal) => Promise<ProbeAnswer | undefined>;

function watchWith(ask: Ask, settings: { first?: number; timeout?: number } = {}): () => void {
  const heardOf = (answer: ProbeAnswer) => received.push(answer);
  return watchProbe({ clock, timeout: 1_000, first: 500, ...settings, interval: () => 10_000, ask, onAnswer: heardOf });
}

const pass = (ms: number) => clock.passes(ms);

describe('a probe', () => {
  it('is made after the first pause, and then one interval after the last one began', async () => {
    watch();
    await pass(499);
    expect(asked).toHaveLength(0);
    await pass(1);
    expect(asked).toHaveLength(1);
    await pass(900);
    asked[0]!.answer(good);
    await settle();
    expect(received).toEqual([good]);
    await pass(9_099);
    expect(asked).toHaveLength(1);
    await pass(1);
    expect(asked).toHaveLength(2);
  });

  it('fails and is aborted if it is not answered in time', async () => {
    watch();
    await pass(500);
    await pass(1_000);
    expect(asked[0]!.abort.aborted).toBe(true);
    expect(received).toEqual([{ ok: false, why: 'no answer within 1s' }]);
  });

  it('fails repeatedly if it does not end when aborted, and is not made twice at once', async () => {
    let asks = 0;
    let end = (_answer: ProbeAnswer) => {};
    watchWith(() => {
      asks += 1;
      return new Promise((resolve) => {
        end = resolve;
      });
    });
    await pass(500 + 2_000);
    expect([received.length, asks]).toEqual([1, 1]);
    await pass(20_000);
    expect(received).toEqual(Array.from({ length: 3 }, () => ({ ok: false, why: 'no answer within 1s' })));
    expect(asks).toBe(1);
    end(good);
    await settle();
    await pass(9_000);
    expect([received.length, asks]).toEqual([3, 2]);
  });

  it('succeeds if it was answered in time while the daemon was blocked', async () => {
    const after = clock.after.bind(clock);
    // Each timer that was to run meanwhile runs late, and before the answer is read.
    clock.after = (ms, run) => after(ms === 1_000 ? 30_000 : ms, run);
    watch();
    await pass(30_500);
    expect(asked[0]!.abort.aborted).toBe(false);
    asked[0]!.answer(good);
    await settle();
    expect(received).toEqual([good]);
  });

  it('is never made twice at once, however long it takes', async () => {
    watch({ timeout: 60_000 });
    await pass(500);
    await pass(30_000);
    expect(asked).toHaveLength(1);
    asked[0]!.answer(good);
    await settle();
    await pass(0);
    expect(asked).toHaveLength(2);
  });

  it('has no result if it cannot be made, and is made again', async () => {
    watch();
    await pass(500);
    asked[0]!.answer(undefined);
    await settle();
    expect(received).toEqual([]);
    await pass(10_000);
    expect(asked).toHaveLength(2);
  });

  it('is aborted when the watch is closed, and has no result', async () => {
    const close = watch();
    await pass(500);
    close();
    expect(asked[0]!.abort.aborted).toBe(true);
    await pass(60_000);
    expect([asked.length, received.length]).toEqual([1, 0]);
  });
});
