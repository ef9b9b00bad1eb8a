// The order of the end, on fake timers.
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { ending } from '../../../src/app/shutdown/ending.ts';
import { Sequence } from '../../../src/app/shutdown/sequence.ts';

const reported: unknown[] = [];
let sequence: Sequence;
let result: boolean | undefined;

beforeEach(() => {
  vi.useFakeTimers();
  vi.spyOn(console, 'error').mockImplementation((...words) => void reported.push(['error', ...words.map(String)]));
  reported.length = 0;
  sequence = new Sequence();
  result = undefined;
});

afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

const note = (word: string) => () => void reported.push(word);
const sleep = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

/** `limit`: what nsv leaves, in milliseconds. */
function end(limit?: number): void {
  sequence.begin({ reason: 'SIGTERM', limit });
  void sequence.run().then((clean) => {
    result = clean;
  });
}

/** Another file of tests in this process may have used the library: it has an end of its own, with handlers of signals. */
function leaveOthersOut(): void {
  (Reflect.get(globalThis, Symbol.for('nsv.app')) as Map<string, unknown> | undefined)?.clear();
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    const others = process.listeners(signal);
    process.removeAllListeners(signal);
    onTestFinished(() => void others.map((listener) => process.on(signal, listener)));
  }
}

const after = (ms: number) => vi.advanceTimersByTimeAsync(ms);

describe('shutdown handlers', () => {
  it('run one after another, the last registered first', async () => {
    sequence.add(note('database'));
    sequence.add(async () => {
      reported.push('queue');
      await sleep(100);
      reported.push('queue done');
    });
    end();
    await after(100);
    expect(reported).toEqual(['queue', 'queue done', 'database']);
    expect(result).toBe(true);
  });

  it('receive the reason, the deadline and a signal', async () => {
    vi.setSystemTime(50_000);
    sequence.add(({ reason, deadline, signal }) => void reported.push({ reason, deadline, aborted: signal.aborted }), {
      timeout: 300,
    });
    end();
    await after(0);
    expect(reported).toEqual([{ reason: 'SIGTERM', deadline: 50_300, aborted: false }]);
  });

  it('do not prevent other handlers from running if they fail or hang', async () => {
    sequence.add(note('first'));
    sequence.add(
      ({ signal }) => {
        signal.addEventListener('abort', note('told to stop'));
        return new Promise(() => {});
      },
      { name: 'hangs' },
    );
    sequence.add(() => Promise.reject(new Error('no')), { name: 'fails' });
    end(4_000);
    await after(4_000);
    expect(reported).toEqual([
      ['error', 'nsv/app: the shutdown handler "fails" failed:', 'Error: no'],
      ['error', 'nsv/app: the shutdown handler "hangs" did not finish within 2000 ms'],
      'told to stop',
      'first',
    ]);
    expect(result).toBe(false);
  });

  it('are skipped if earlier handlers have used up the time', async () => {
    sequence.add(note('never'), { name: 'late' });
    sequence.add(() => new Promise(() => {}), { name: 'greedy', timeout: 60_000 });
    end(1_000);
    await after(1_000);
    expect(reported).toEqual([
      ['error', 'nsv/app: the shutdown handler "greedy" did not finish within 1000 ms'],
      ['error', 'nsv/app: had no time left for the shutdown handler "late"'],
    ]);
  });

  it('can be removed', async () => {
    const remove = sequence.add(note('removed'));
    sequence.add(note('kept'));
    remove();
    remove();
    end();
    await after(0);
    expect(reported).toEqual(['kept']);
  });

  it('must be functions, with a timeout above 0', () => {
    expect(() => sequence.add('close' as never)).toThrow('onShutdown: the handler must be a function');
    expect(() => sequence.add(() => {}, { timeout: 0 })).toThrow('"timeout" must be a number of milliseconds above 0');
  });

  it('have ten seconds without nsv, or the limit that the app sets', async () => {
    sequence.add(() => new Promise(() => {}), { name: 'hangs' });
    end();
    await after(9_999);
    expect(result).toBeUndefined();
    await after(1);
    expect(result).toBe(false);

    sequence = new Sequence();
    sequence.limitTo(200);
    sequence.add(() => new Promise(() => {}), { name: 'hangs' });
    end();
    await after(200);
    expect(reported.at(-1)).toEqual(['error', 'nsv/app: the shutdown handler "hangs" did not finish within 200 ms']);
  });
});

describe('beacons', () => {
  it('can abandon their work when time runs out, which does not count as a failure', async () => {
    sequence.light({ queue: 'exports' }, note('given up'));
    sequence.add(note('database'));
    end(2_000);
    await after(1_499);
    expect(reported).toEqual([]);
    await after(1);
    expect(reported).toEqual(['given up', 'database']);
    expect(result).toBe(true);
  });

  it('hold up the handlers until the last beacon dies, while the signal is aborted at once', async () => {
    const [one, other] = [sequence.light({ job: 1 }), sequence.light({ job: 2 })];
    sequence.add(note('handler'));
    sequence.signal.addEventListener('abort', () => reported.push(sequence.signal.reason.message));
    end();
    expect(reported).toEqual(['SIGTERM']);
    one.die();
    one.die();
    await after(1_000);
    expect(reported).toEqual(['SIGTERM']);
    other.die();
    await after(0);
    expect(reported).toEqual(['SIGTERM', 'handler']);
    expect(result).toBe(true);
  });

  it('leave the handlers a quarter of the time, but at most a second', async () => {
    sequence.light({ job: 17 });
    sequence.add(note('handler'));
    end(2_000);
    await after(1_499);
    expect(reported).toEqual([]);
    await after(1);
    expect(reported).toEqual([
      ['error', 'nsv/app: gave up waiting for 1 beacon(s) that did not die:', '[object Object]'],
      'handler',
    ]);
    expect(result).toBe(false);
  });
});

describe('the end of the process', () => {
  const exits: unknown[] = [];

  beforeEach(() => {
    exits.length = 0;
    leaveOthersOut();
    vi.spyOn(process, 'exit').mockImplementation((code) => void exits.push(code) as never);
  });

  it('installs signal handlers once, and removes them afterwards', async () => {
    const before = process.listenerCount('SIGTERM');
    sequence.add(note('handler'));
    ending().join(sequence, ['SIGTERM', 'SIGINT']);
    ending().join(sequence, ['SIGTERM', 'SIGINT']);
    expect(process.listenerCount('SIGTERM')).toBe(before + 1);
    process.emit('SIGTERM', 'SIGTERM');
    expect(ending().hasBegun).toBe(true);
    await after(0);
    expect({ reported, exits, left: process.listenerCount('SIGTERM') }).toEqual({
      reported: ['handler'],
      exits: [0],
      left: before,
    });
  });

  it('has the exit code of the app, or 1 if something failed', async () => {
    process.exitCode = 7;
    ending().join(sequence, []);
    ending().shutdown('done');
    await after(0);
    sequence = new Sequence();
    sequence.add(() => Promise.reject(new Error('no')));
    ending().join(sequence, []);
    ending().shutdown('done');
    await after(0);
    process.exitCode = undefined;
    expect(exits).toEqual([7, 1]);
  });

  it('is immediate on a second Ctrl-C, but not on an echo of the first', async () => {
    sequence.add(() => new Promise(() => {}), { name: 'hangs' });
    ending().join(sequence, ['SIGINT']);
    process.emit('SIGINT', 'SIGINT');
    await after(100);
    process.emit('SIGINT', 'SIGINT');
    expect(exits).toEqual([]);
    await after(1_000);
    process.emit('SIGINT', 'SIGINT');
    expect(exits).toEqual([130]);
    await after(10_000);
  });

  it('waits for all sequences, including those that join while it is under way', async () => {
    const other = new Sequence();
    other.add(note('other'));
    sequence.add(async () => {
      await sleep(50);
      ending().join(other, []);
      reported.push('handler');
    });
    ending().join(sequence, []);
    ending().shutdown('done');
    ending().shutdown('again');
    await after(50);
    expect({ reported, exits }).toEqual({ reported: ['handler', 'other'], exits: [0] });
  });
});
