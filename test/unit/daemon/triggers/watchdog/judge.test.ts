// When an event loop that owes an answer counts as blocked: looks at a process every half a second, with a limit of two seconds.
import { describe, expect, it } from 'vitest';
import {
  type Judgement,
  judgeLoop,
  type Spared,
  suspect,
  type Times,
} from '../../../../../src/daemon/triggers/watchdog/judge.ts';

const pid = 100;
const helper = 101;
const [every, limit] = [500, 2_000];

/** What happens between two looks. `ran` and `waited`: milliseconds of the main thread. */
interface Span {
  ms?: number;
  ran?: number;
  waited?: number;
  /** R at the look. */
  isRunnable?: boolean;
  isStopped?: boolean;
  isInspected?: boolean;
  isLate?: boolean;
  isDebugged?: boolean;
  /** Another thread of the process. */
  helper?: { ran?: number; waited?: number; isRunnable?: boolean };
}

const times = (spans: readonly Span[]): Times => {
  const sum = (of: (span: Span) => number | undefined) => spans.reduce((total, span) => total + (of(span) ?? 0), 0);
  const last = spans.at(-1);
  return new Map([
    [pid, { ran: sum(({ ran }) => ran), waited: sum(({ waited }) => waited), isRunnable: last?.isRunnable ?? false }],
    [
      helper,
      {
        ran: sum((span) => span.helper?.ran),
        waited: sum((span) => span.helper?.waited),
        isRunnable: last?.helper?.isRunnable ?? false,
      },
    ],
  ]);
};

/** Looks until there is a verdict, or the spans are over. */
function watch(spans: readonly Span[]) {
  let now = 0;
  let suspicion = suspect(pid, { now, times: times([]) });
  const spared: Spared[] = [];
  for (const [at, span] of spans.entries()) {
    now += span.ms ?? every;
    const { isStopped = false, isInspected = false, isLate = false, isDebugged = false } = span;
    const seen = {
      now,
      isStopped,
      isInspected,
      isLate,
      isDebugged: () => isDebugged,
      times: times(spans.slice(0, at + 1)),
    };
    const judgement: Judgement = judgeLoop(suspicion, seen, limit);
    if (judgement.kind === 'blocked') return { blocked: now, ...judgement, spared };
    suspicion = judgement.suspicion;
    if (suspicion.spared && suspicion.spared !== spared.at(-1)) spared.push(suspicion.spared);
  }
  return { blocked: undefined, spared };
}

const times10 = (span: Span, count = 10) => Array.from({ length: count }, () => span);
const spinning: Span = { ran: every, isRunnable: true };
const sleeping: Span = {};

describe('an event loop that owes an answer', () => {
  it.each<[what: string, spans: Span[], at: number, ran: number]>([
    ['spins', times10(spinning), 2_500, 100],
    ['waits without CPU', times10(sleeping), 2_500, 0],
    ['waits for a disk and computes in turn', times10({ ran: 200 }), 2_500, 40],
    ['spins, and gets the CPU a tenth of the time', times10({ ran: 50, isRunnable: true }, 30), 10_500, 100],
    ['spins, and gets the CPU half of the time', times10({ ran: 250, isRunnable: true }), 2_500, 100],
    ['waits for its own thread, which spins on a CPU', times10({ helper: { ran: 500, isRunnable: true } }), 2_500, 0],
    [
      'waits while an unrelated thread waits for a CPU now and then',
      times10({ helper: { ran: 5, waited: 50 } }),
      2_500,
      0,
    ],
    [
      'is stopped for a while, and blocked afterwards',
      [...times10({ isStopped: true }), ...times10(spinning)],
      7_500,
      100,
    ],
    [
      'is blocked again after the daemon was held up',
      [spinning, { ms: 60_000, isLate: true }, ...times10(spinning)],
      63_000,
      100,
    ],
    ['spins while a debugger is connected', times10({ ...spinning, isDebugged: true }), 2_500, 100],
    ['spins on a kernel that counts no waiting', times10({ ran: 490, isRunnable: true }), 2_500, 100],
  ])('is blocked if it %s', (_what, spans, at, ran) => {
    expect(watch(spans)).toMatchObject({ blocked: at, ran });
  });

  it.each<[what: string, spans: Span[], reason: Spared | undefined]>([
    ['is stopped by a signal', times10({ isStopped: true }, 200), 'stopped'],
    [
      'is stopped and continued again and again',
      times10({}, 200).map((_, at) => ({ isStopped: at % 4 === 0 })),
      'stopped',
    ],
    ['writes a heap snapshot on request', times10({ ...spinning, isInspected: true }, 200), 'inspected'],
    ['was stopped together with the daemon, for a minute', [sleeping, { ms: 60_000, isLate: true }], 'daemon late'],
    ['wants to run, but never gets a CPU', times10({ isRunnable: true }, 200), 'starved'],
    ['gets a CPU for a moment now and then', times10({ ran: 4, isRunnable: true }, 200), 'starved'],
    ['sleeps, and waits for a CPU in between', times10({ waited: 496 }, 200), 'starved'],
    ['waits for a thread that never gets a CPU', times10({ helper: { isRunnable: true } }, 200), 'starved'],
    ['waits for a thread that had to wait', times10({ helper: { ran: 4, waited: 496 } }, 200), 'starved'],
    ['may be paused by a debugger', times10({ isDebugged: true }, 200), 'debugged'],
    ['collects garbage for less than the limit', times10(spinning, 3), undefined],
    ['is within the limit at the look before its answer', times10(spinning, 4), undefined],
  ])('is left alone if it %s', (_what, spans, reason) => {
    const { blocked, spared } = watch(spans);
    expect(blocked).toBeUndefined();
    expect([...new Set(spared)]).toEqual(reason ? [reason] : []);
  });
});
