// How processes are watched: whom the daemon asks, and what it makes of silence. On a clock that is turned by hand.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Child } from '../../../../../src/daemon/launch/launcher.ts';
import { type BlockedVerdict, watchLoops } from '../../../../../src/daemon/triggers/watchdog/watch-loops.ts';
import { FakeClock } from '../../../../helpers/fake-clock.ts';

const limit = 2_000;

/** A process whose main thread does what a test says. It uses the CPU while it spins. */
class Process {
  #does: 'idles' | 'spins' | 'waits' | 'is stopped' = 'idles';
  /** Whether it answers, in which it uses some CPU. */
  answers = true;
  isLoaded = true;
  since = 1;
  runs = 1;
  asked = 0;
  withdrawn = 0;
  hear: ((turns: boolean) => void) | undefined;
  readonly child: Child;

  get does() {
    return this.#does;
  }

  /** It has to run to do something else. */
  set does(next) {
    this.#does = next;
    this.runs += 1;
  }

  constructor(pid: number) {
    this.child = { pid } as Child;
  }
}

let clock: FakeClock;
let processes: Process[];
let blocked: { pid: number; at: number; verdict: BlockedVerdict }[];
let spared: string[];
let close: () => void;
/** Reads of files in /proc, and files that are open. */
let reads: number;
let opened = 0;

function watch(): void {
  const of = (pid: number) => processes.find(({ child }) => child.pid === pid)!;
  close = watchLoops({
    clock,
    limit,
    sight: {
      countRuns(pid) {
        opened += 1;
        return {
          read() {
            reads += 1;
            if (of(pid).does === 'spins') of(pid).runs += 1;
            return of(pid).runs;
          },
          close: () => {
            opened -= 1;
          },
        };
      },
      mainThreadOf(pid) {
        reads += 3;
        const { does } = of(pid);
        const state = does === 'spins' ? 'R' : does === 'is stopped' ? 'T' : 'S';
        return { state, waitsForEvents: does === 'idles' };
      },
      threadTimesOf(pid) {
        const isRunnable = of(pid).does === 'spins';
        return new Map([[pid, { ran: isRunnable ? clock.now() : 0, waited: 0, isRunnable }]]);
      },
      isDebugged: () => false,
      isInspected: () => false,
    },
    processes: () => processes,
    ask(child, received) {
      const process = of(child.pid);
      process.asked += 1;
      process.hear = received;
      if (process.answers) clock.after(1, () => received(true));
      return () => {
        process.withdrawn += 1;
      };
    },
    onBlocked: ({ pid }, verdict) => blocked.push({ pid, at: clock.now(), verdict }),
    onSpared: ({ pid }, reason) => spared.push(`${pid} ${reason}`),
  });
}

beforeEach(() => {
  clock = new FakeClock();
  processes = [new Process(1), new Process(2)];
  blocked = [];
  spared = [];
  reads = 0;
  watch();
});
afterEach(() => {
  close();
  expect([clock.pending, opened]).toEqual([0, 0]);
});

const [one, other] = [() => processes[0]!, () => processes[1]!];

describe('a process', () => {
  it('costs one read per look and is never asked if it has not run since it was idle', async () => {
    await clock.passes(500);
    reads = 0;
    await clock.passes(50_000);
    expect([reads, one().asked, other().asked]).toEqual([100, 0, 0]);
  });

  it('is asked if it runs, and is left alone while it answers', async () => {
    one().does = 'spins';
    await clock.passes(50_001);
    expect(one().asked).toBe(100);
    expect([blocked, spared]).toEqual([[], []]);
  });

  it('is reported as blocked once, within one and three quarters of the limit, if it does not answer', async () => {
    await clock.passes(10_001);
    Object.assign(one(), { does: 'spins', answers: false });
    await clock.passes(60_000);
    expect(blocked.map(({ pid }) => pid)).toEqual([1]);
    expect(blocked[0]!.at).toBeLessThanOrEqual(13_501);
    expect(blocked[0]!.verdict).toEqual({ forMs: 2_250, ran: 100 });
    expect(one().asked).toBe(1);
  });

  it('is not blocked if it answers at the last moment', async () => {
    await clock.passes(10_000);
    Object.assign(one(), { does: 'waits', answers: false });
    // The limit has passed at the look before, but the answer was under way.
    await clock.passes(2_600);
    expect(one().asked).toBe(1);
    one().hear!(true);
    Object.assign(one(), { does: 'idles' });
    await clock.passes(60_000);
    expect(blocked).toEqual([]);
  });

  it('is not blocked if it waits for events, even without an answer', async () => {
    Object.assign(one(), { does: 'waits', answers: false });
    await clock.passes(1_500);
    one().does = 'idles';
    await clock.passes(60_000);
    expect([one().asked, blocked]).toEqual([1, []]);
    one().does = 'waits';
    await clock.passes(3_500);
    expect(blocked.map(({ pid }) => pid)).toEqual([1]);
  });

  it('is asked again if the question was lost', async () => {
    Object.assign(one(), { does: 'waits', answers: false });
    await clock.passes(2_000);
    one().hear!(false);
    await clock.passes(1_000);
    expect([one().asked, blocked]).toEqual([2, []]);
  });

  it('is not watched before its first turn, if nothing else shows that its program is loaded', async () => {
    Object.assign(one(), { does: 'spins', answers: false, isLoaded: false });
    await clock.passes(60_000);
    expect([one().asked, blocked]).toEqual([1, []]);
    one().hear!(true);
    await clock.passes(3_000);
    expect(blocked.map(({ pid }) => pid)).toEqual([1]);
  });

  it('has time to find this daemon if another one started it, and is then watched without a first turn', async () => {
    Object.assign(one(), { does: 'spins', answers: false, isLoaded: false, since: -1 });
    await clock.passes(2_999);
    expect(one().asked).toBe(0);
    await clock.passes(3_000);
    expect(blocked.map(({ pid }) => pid)).toEqual([1]);
  });

  it('is reported once while it is stopped, and again only after a turn', async () => {
    Object.assign(one(), { does: 'is stopped', answers: false });
    await clock.passes(60_000);
    expect(spared).toEqual(['1 stopped']);
    one().does = 'idles';
    one().hear!(true);
    await clock.passes(5_000);
    one().does = 'is stopped';
    await clock.passes(60_000);
    expect([spared, blocked]).toEqual([['1 stopped', '1 stopped'], []]);
  });

  it('is dropped when it exits, with its question', async () => {
    Object.assign(one(), { does: 'waits', answers: false });
    const [gone] = processes;
    await clock.passes(500);
    processes.shift();
    await clock.passes(60_000);
    expect([gone!.withdrawn, blocked]).toEqual([1, []]);
  });
});
