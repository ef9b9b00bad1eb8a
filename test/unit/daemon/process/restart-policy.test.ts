import { describe, expect, it } from 'vitest';
import {
  describeExit,
  endedAtOnce,
  judgeEnd,
  type RunEnd,
} from '../../../../src/daemon/process/lifecycle/restart-policy.ts';

const rules = {
  autorestart: true,
  stopExitCodes: [] as number[],
  maxRestarts: 3,
  restartWindow: 60_000,
  restartDelay: 0,
  expBackoffRestartDelay: 0,
  minUptime: undefined as number | undefined,
};
const death = (given: Partial<RunEnd> = {}): RunEnd => ({
  now: 0,
  exit: { code: 1, signal: null },
  cause: 'exit code 1',
  uptime: 10,
  failures: 0,
  isFirst: false,
  wait: 0,
  ...given,
});

describe('a process that exited on its own', () => {
  it('is restarted as often as the limit allows, then given up', () => {
    let recent: number[] = [];
    const kinds = [0, 1, 2, 3].map((now) => {
      const judged = judgeEnd(rules, recent, death({ now }));
      recent = judged.recent;
      return judged.verdict.kind;
    });
    expect(kinds).toEqual(['again', 'again', 'again', 'giveup']);
  });

  it('has restarts that are older than the window ignored', () => {
    const { verdict, recent } = judgeEnd(rules, [0, 1, 2], death({ now: 60_002 }));
    expect(verdict.kind).toBe('again');
    expect(recent).toEqual([60_002]);
  });

  it('is given up with the limit and the last cause as the reason', () => {
    const { verdict } = judgeEnd(rules, [1, 2, 3], death({ now: 4, cause: 'signal SIGSEGV' }));
    expect(verdict).toEqual({ kind: 'giveup', reason: 'signal SIGSEGV; gave up after 3 restarts within 1m' });
  });

  it('is given up at once when no restart is allowed', () => {
    expect(judgeEnd({ ...rules, maxRestarts: 0 }, [], death()).verdict).toMatchObject({ kind: 'giveup' });
  });

  it('is restarted indefinitely without a limit, and keeps no list', () => {
    const unlimited = { ...rules, maxRestarts: Number.MAX_SAFE_INTEGER };
    const { verdict, recent } = judgeEnd(unlimited, [], death());
    expect(verdict.kind).toBe('again');
    expect(recent).toEqual([]);
  });

  it('stays stopped if restarts are off or its exit code means that it has finished', () => {
    expect(judgeEnd({ ...rules, autorestart: false }, [], death()).verdict).toEqual({ kind: 'rest' });
    expect(judgeEnd({ ...rules, stopExitCodes: [0, 1] }, [], death()).verdict).toEqual({ kind: 'rest' });
    const killed = death({ exit: { code: null, signal: 'SIGKILL' } });
    expect(judgeEnd({ ...rules, stopExitCodes: [0] }, [], killed).verdict.kind).toBe('again');
  });
});

describe('a cause that stays, such as a missing module', () => {
  const lasting = death({ isLasting: true, isFirst: true, cause: 'Error: x' });

  it.each<[string, object]>([
    ['', {}],
    [' whatever the delay', { restartDelay: 5_000 }],
    [' whatever the backoff', { expBackoffRestartDelay: 100 }],
  ])('has the app given up at its first start%s', (_, changed) => {
    const { verdict, recent } = judgeEnd({ ...rules, ...changed }, [], lasting);
    expect(verdict).toEqual({ kind: 'giveup', reason: 'Error: x; another attempt would end in the same way' });
    expect(recent).toEqual([]);
  });

  it.each<[string, Partial<RunEnd>, object]>([
    ['has run since a command has started it', { isFirst: false }, {}],
    ['may be restarted without limit', {}, { maxRestarts: Number.MAX_SAFE_INTEGER }],
  ])('has an app restarted that %s', (_, given, changed) => {
    expect(judgeEnd({ ...rules, ...changed }, [], { ...lasting, ...given }).verdict.kind).toBe('again');
  });
});

describe('a restart while many programs are failing', () => {
  const waiting = { wait: 3_000 };

  it.each<[string, Partial<RunEnd>, object, number]>([
    ['waits', {}, {}, 3_000],
    ['waits for as long as its own delay, if that is longer', {}, { restartDelay: 5_000 }, 5_000],
    ['waits until nothing is in the way, if its own delay is shorter', {}, { restartDelay: 1_000 }, 3_000],
    ['does not wait after ten seconds', { uptime: 10_000 }, {}, 0],
  ])('%s', (_, given, changed, delay) => {
    const { verdict } = judgeEnd({ ...rules, ...changed }, [], death({ ...waiting, ...given }));
    expect(verdict).toMatchObject({ kind: 'again', delay });
  });

  it('has this time left out of the window', () => {
    const { recent } = judgeEnd(rules, [0, 10_000], death({ ...waiting, now: 50_000 }));
    expect(recent).toEqual([3_000, 13_000, 53_000]);
    expect(judgeEnd(rules, recent, death({ ...waiting, now: 62_999 })).verdict).toEqual({
      kind: 'giveup',
      reason: 'exit code 1; gave up after 3 restarts within 1m',
    });
    expect(judgeEnd(rules, recent, death({ ...waiting, now: 63_001 })).verdict.kind).toBe('again');
  });

  it('leaves alone the window of an app that does not have to wait', () => {
    const { verdict } = judgeEnd(rules, [0, 1, 2], death({ ...waiting, uptime: 10_000, now: 60_003 }));
    expect(verdict.kind).toBe('again');
  });
});

describe('a minimum uptime', () => {
  const rarely = { ...rules, minUptime: 40_000 };

  it('has an end after a longer run not counted', () => {
    const judged = judgeEnd(rarely, [1, 2, 3], death({ now: 4, uptime: 40_000 }));
    expect(judged).toMatchObject({ verdict: { kind: 'again', failures: 0 }, recent: [1, 2, 3] });
  });

  it('extends the window to as many runs that are too short', () => {
    const inTime = judgeEnd(rarely, [0, 1, 2], death({ now: 119_999, uptime: 39_999 }));
    expect(inTime.verdict).toEqual({ kind: 'giveup', reason: 'exit code 1; gave up after 3 restarts within 2m' });
    expect(judgeEnd(rarely, [0, 1, 2], death({ now: 120_000, uptime: 39_999 })).verdict.kind).toBe('again');
  });

  it('allows no restart after a longer run if none is allowed at all', () => {
    const judged = judgeEnd({ ...rarely, maxRestarts: 0 }, [], death({ uptime: 60_000 }));
    expect(judged.verdict.kind).toBe('giveup');
  });
});

describe('a program that exits with 0 at its first start', () => {
  const done = { exit: { code: 0, signal: null }, isFirst: true };
  const unlimited = { maxRestarts: Number.MAX_SAFE_INTEGER };
  it.each([
    { title: 'is not restarted', given: {}, kind: 'giveup' },
    { title: 'has finished if its exit code means so', given: { stopExitCodes: [0] }, kind: 'rest' },
    { title: 'has finished if restarts are off', given: { autorestart: false }, kind: 'rest' },
    { title: 'is restarted after a configured delay', given: { restartDelay: 1 }, kind: 'again' },
    { title: 'is restarted after a growing delay', given: { expBackoffRestartDelay: 1 }, kind: 'again' },
    { title: 'is restarted if restarts have no limit', given: unlimited, kind: 'again' },
  ])('$title', ({ given, kind }) => {
    expect(judgeEnd({ ...rules, ...given }, [], death(done)).verdict.kind).toBe(kind);
  });

  it.each([
    { title: 'its app has shown that it is not a job', given: { isFirst: false } },
    { title: 'it has failed', given: { exit: { code: 1, signal: null } } },
    { title: 'it was killed', given: { exit: { code: null, signal: 'SIGKILL' as const } } },
    { title: 'it could not be executed', given: { exit: null } },
  ])('is restarted as usual if $title', ({ given }) => {
    expect(judgeEnd(rules, [], death({ ...done, ...given })).verdict.kind).toBe('again');
  });

  it('is given up with a hint at how to start a job', () => {
    expect(judgeEnd(rules, [], death(done)).verdict).toEqual({ kind: 'giveup', reason: endedAtOnce });
    expect(endedAtOnce).toContain('--no-autorestart');
  });
});

describe('the delay before a restart', () => {
  const delayAfter = (failures: number, given: Partial<typeof rules>, uptime = 10) => {
    const { verdict } = judgeEnd({ ...rules, maxRestarts: 99, ...given }, [], death({ failures, uptime }));
    return verdict.kind === 'again' ? verdict.delay : undefined;
  };

  it.each([
    ['is none by default', 5, {}, 0],
    ['is fixed if it is configured', 5, { restartDelay: 300 }, 300],
    ['begins with the configured value if it grows', 0, { expBackoffRestartDelay: 100 }, 100],
    ['grows by half each time', 2, { expBackoffRestartDelay: 100 }, 225],
    ['grows to 15 s at most', 80, { expBackoffRestartDelay: 100 }, 15_000],
  ])('%s', (_title, failures, given, delay) => {
    expect(delayAfter(failures, given)).toBe(delay);
  });

  it('is reset after the process has stayed up, for the minimum uptime if there is one', () => {
    expect(delayAfter(7, { expBackoffRestartDelay: 100 }, 1_000)).toBe(100);
    expect(delayAfter(2, { expBackoffRestartDelay: 100, minUptime: 1_001 }, 1_000)).toBe(225);
  });

  it('grows only with exits within a second', () => {
    const verdict = (failures: number, uptime: number) => judgeEnd(rules, [], death({ failures, uptime })).verdict;
    expect(verdict(2, 10)).toMatchObject({ kind: 'again', failures: 3 });
    expect(verdict(2, 1_000)).toMatchObject({ kind: 'again', failures: 0 });
  });
});

describe('an exit', () => {
  it('is a code or a signal, never both', () => {
    expect(describeExit({ code: 0, signal: null })).toBe('exit code 0');
    expect(describeExit({ code: null, signal: 'SIGKILL' })).toBe('signal SIGKILL');
  });
});
