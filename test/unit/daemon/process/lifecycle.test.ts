import { describe, expect, it } from 'vitest';
import { giveupReasonOf } from '../../../../src/daemon/process/lifecycle/classes.ts';
import { asked } from '../../../../src/ipc/records/deaths.ts';
import { Supervised } from '../../../helpers/supervised.ts';

describe('a process that was started', () => {
  it('is ready as soon as it listens', () => {
    const web = Supervised.started();
    expect(web.state).toMatchObject({ kind: 'starting', pid: 42, deadline: 1_000 });
    web.happens({ type: 'listening' });
    expect(web.state).toEqual({ kind: 'online', failures: 0, pid: 42, since: 0, loadedAt: 0 });
  });

  it('is ready once it has stayed up if it reports nothing', () => {
    const web = Supervised.started();
    web.waitsUntil(999);
    expect(web.state.kind).toBe('starting');
    web.waitsUntil(1_000);
    expect(web.state.kind).toBe('online');
  });

  it('is not ready by listening if its ready message is awaited', () => {
    const web = Supervised.started({ readiness: 'message' });
    web.happens({ type: 'listening' });
    expect(web.state.kind).toBe('starting');
    web.happens({ type: 'ready' });
    expect(web.state.kind).toBe('online');
  });

  it('has as long as one with `wait_ready` once it reports that it is not ready', () => {
    const web = Supervised.started();
    web.happens({ type: 'notReady' });
    expect(web.state).toMatchObject({ kind: 'starting', deadline: 30_000, late: false });
  });

  it('stays late if it reports after the deadline that it is not ready', () => {
    const web = Supervised.started({ readiness: 'message' });
    web.waitsUntil(30_000);
    web.happens({ type: 'notReady' });
    expect(web.state).toMatchObject({ kind: 'starting', deadline: null, late: true });
  });

  it.each(['message', 'listening'] as const)(
    'is late, not killed, if it misses the deadline, and can still become ready: %s',
    (readiness) => {
      const web = Supervised.started({ readiness });
      web.waitsUntil(30_000);
      expect(web.state).toMatchObject({ kind: 'starting', late: true, deadline: null });
      web.happens({ type: 'ready' });
      expect(web.state.kind).toBe('online');
      expect(web.effects).toEqual(['spawn']);
    },
  );
});

describe('a process that reports when its program is loaded', () => {
  const loads = (more = {}) => Supervised.started({ reportsLoaded: true, ...more });
  it.each([
    [false, 8_000],
    [true, 6_000],
  ])('counts as ready some time after that, sooner if it is idle: %s', (isIdle, deadline) => {
    const web = loads({ readyTimeout: 3_000 });
    web.waitsUntil(5_000);
    web.happens({ type: 'loaded', isIdle });
    expect(web.state).toMatchObject({ kind: 'starting', loadedAt: 5_000, deadline });
    web.waitsUntil(deadline);
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

describe('a process that exits on its own', () => {
  it('is reported with a reason besides the exit if one is known', () => {
    const why = { cause: 'watchdog timer', detail: 'the watchdog timer "queue" was not reset' } as const;
    const web = Supervised.started();
    web.happens({ type: 'exited', exit: { code: 1, signal: null }, why });
    expect(web.reported).toContainEqual({ do: 'emitExited', exit: { code: 1, signal: null }, asked: false, why });
  });

  it('is restarted if a watchdog timer has fired, whatever its exit code', () => {
    const web = Supervised.online({ rules: { stopExitCodes: [0] } });
    const why = { cause: 'watchdog timer', detail: 'a watchdog timer was not reset' } as const;
    web.happens({ type: 'exited', exit: { code: 0, signal: null }, why });
    expect(web.state.kind).toBe('starting');
  });

  it('is restarted at once, after its orphans were asked to stop', () => {
    const web = Supervised.online();
    web.exits(1);
    expect(web.effects).toEqual(['askLeftovers', 'spawn']);
    expect(web.state).toMatchObject({ kind: 'starting', failures: 1 });
  });

  it('is reported before what follows from it, and counted once', () => {
    const web = Supervised.online();
    web.exits(1);
    expect(web.reported).toEqual([
      { do: 'emitExited', exit: { code: 1, signal: null }, asked: false, why: null },
      { do: 'countAgainstLimit', recent: [0] },
      { do: 'countRestart', delay: 0 },
      { do: 'emitStarted', pid: 42 },
    ]);
  });

  it('is restarted once its delay has passed', () => {
    const web = Supervised.online({ rules: { restartDelay: 200 } });
    web.exits(1);
    expect(web.state).toEqual({ kind: 'backoff', failures: 1, deadline: 200 });
    web.waitsUntil(199);
    expect(web.effects).toEqual(['askLeftovers']);
    web.now = 200;
    web.happens({ type: 'deadline' });
    expect(web.effects).toEqual(['askLeftovers', 'spawn']);
    expect(web.state).toMatchObject({ kind: 'starting', failures: 1 });
  });

  it('is restarted only once its orphans are gone: asked to stop, and killed at the kill timeout', () => {
    const web = Supervised.online({ rules: { restartDelay: 200 } });
    web.orphans = true;
    web.exits(1);
    web.waitsUntil(4_999);
    expect(new Set(web.effects)).toEqual(new Set(['askLeftovers', 'look']));
    web.waitsUntil(5_000);
    expect(web.effects).toContain('kill');
    web.orphans = false;
    web.waitsUntil(5_020);
    expect(web.state).toEqual({ kind: 'backoff', failures: 1, deadline: 5_220 });
    expect(web.reported.filter((effect) => effect.do === 'countRestart')).toEqual([{ do: 'countRestart', delay: 200 }]);
  });

  it.each([
    { how: 'stays stopped after a stop in the meantime', event: 'stop', state: { kind: 'stopped' } },
    { how: 'starts afresh after a start in the meantime', event: 'start', state: { kind: 'starting', failures: 0 } },
  ] as const)('$how, once its orphans are gone', ({ event, state }) => {
    const web = Supervised.online();
    web.orphans = true;
    web.exits(1);
    web.happens({ type: event, reason: asked(event) });
    expect(web.state.kind).toBe('stopping');
    web.orphans = false;
    web.waitsUntil(20);
    expect(web.state).toMatchObject(state);
  });

  it('is given up at once, while its orphans are still being stopped', () => {
    const web = Supervised.online({ rules: { maxRestarts: 0 } });
    web.orphans = true;
    web.exits(1);
    expect(web.reported.at(-1)).toMatchObject({ do: 'emitGiveup' });
    expect(giveupReasonOf(web.state)).toContain('exit code 1');
    web.orphans = false;
    web.waitsUntil(20);
    expect(web.state.kind).toBe('errored');
  });

  it('stays stopped if it is not to be restarted', () => {
    const web = Supervised.online({ rules: { autorestart: false } });
    web.exits(1);
    expect(web.state).toEqual({ kind: 'stopped' });
  });

  it('stays stopped if it holds no slot, and does not count', () => {
    const web = Supervised.online({ holdsSlot: false });
    web.exits(1);
    expect(web.state).toEqual({ kind: 'stopped' });
    expect(web.reported.map((effect) => effect.do)).toEqual(['emitExited']);
  });

  it('is errored with the reason when nsv gives up, and starts afresh on request', () => {
    const web = Supervised.online({ rules: { maxRestarts: 1 } });
    web.exits(1);
    web.exits(2);
    const reason = 'exit code 2; gave up after 1 restart within 1m';
    expect(web.state).toEqual({ kind: 'errored', reason, deadline: null });
    expect(web.reported.at(-1)).toEqual({ do: 'emitGiveup', reason, cause: 'exit code 2', isInLog: true });
    web.happens({ type: 'start' });
    expect(web.state).toMatchObject({ kind: 'starting', failures: 0 });
  });

  it('is given up by the same rules if it could not be executed', () => {
    const web = new Supervised({ rules: { maxRestarts: 0 } });
    web.spawnFails = 'EACCES';
    web.happens({ type: 'start' });
    expect(web.state).toEqual({ kind: 'errored', reason: 'EACCES, and restarts are disabled', deadline: null });
    expect(web.reported.map((effect) => effect.do)).toEqual(['emitUnspawnable', 'countAgainstLimit', 'emitGiveup']);
  });
});

describe('a process that announces its exit', () => {
  it('has until the kill timeout to finish, and is not asked to stop', () => {
    const web = Supervised.online();
    web.happens({ type: 'leaving', reason: { cause: 'uncaught error', detail: 'Error: oops' } });
    web.effects = [];
    web.waitsUntil(4_999);
    expect(web.effects).toEqual([]);
    web.waitsUntil(5_000);
    expect(web.effects).toEqual(['kill']);
    web.exits(1);
    expect(web.state).toEqual({ kind: 'stopped' });
  });

  it.each([
    { end: 'is errored', happens: [], state: { kind: 'errored', deadline: 65_000 } },
    { end: 'is stopped', happens: ['stop'], state: { kind: 'stopped' } },
    { end: 'starts', happens: ['start'], state: { kind: 'starting', failures: 0 } },
  ] as const)('finishes first when nsv gives up on it, then $end', ({ end, happens, state }) => {
    const web = Supervised.started({ retryAfter: 60_000, rules: { maxRestarts: 0 } });
    web.happens({ type: 'ready' });
    web.happens({ type: 'leaving', reason: { cause: 'uncaught error', detail: 'oops' } });
    expect(giveupReasonOf(web.state)).toBe('oops, and restarts are disabled');
    for (const type of happens) web.happens({ type, reason: asked(type) });
    web.waitsUntil(5_000);
    expect(web.effects).toEqual(['spawn', ...(end === 'is stopped' ? ['stopKeepingIdle'] : []), 'kill']);
    web.exits(0);
    expect(web.state).toMatchObject(state);
  });

  it('has a successor that starts at once, or after the delay of a restart', () => {
    const web = new Supervised();
    web.happens({ type: 'succeed', delay: 0, failures: 2 });
    expect(web.state).toMatchObject({ kind: 'starting', failures: 2 });
    const other = new Supervised();
    other.happens({ type: 'succeed', delay: 50, failures: 2 });
    expect(other.state).toEqual({ kind: 'backoff', failures: 2, deadline: 50 });
  });
});

describe('a process that nsv gives up on while it serves', () => {
  it('is asked to stop like any other, killed at the kill timeout, and errored when it is gone', () => {
    const web = Supervised.started({ retryAfter: 60_000, rules: { maxRestarts: 0 } });
    web.happens({ type: 'ready' });
    web.happens({ type: 'exceeded', reason: { cause: 'memory limit', detail: 'memory 2G' } });
    web.happens({ type: 'exceeded', reason: { cause: 'memory limit', detail: 'memory 3G' } });
    const reason = 'memory 2G, and restarts are disabled';
    expect(giveupReasonOf(web.state)).toBe(reason);
    expect(web.reported.at(-1)).toEqual({ do: 'emitGiveup', reason, cause: 'memory 2G', isInLog: false });
    web.waitsUntil(5_000);
    expect(web.effects).toEqual(['spawn', 'ask', 'kill']);
    web.exits(0);
    expect(web.state).toEqual({ kind: 'errored', reason, deadline: 65_000 });
  });

  it('keeps serving until it is replaced if a restart is allowed, which is counted without an event', () => {
    const web = Supervised.online();
    web.happens({ type: 'exceeded', reason: { cause: 'memory limit', detail: 'memory 2G' } });
    expect(web.state.kind).toBe('online');
    expect(web.reported).toEqual([
      { do: 'countAgainstLimit', recent: [0] },
      { do: 'countRestart', delay: null },
      { do: 'emitReplacing', reason: { cause: 'memory limit', detail: 'memory 2G' } },
    ]);
  });
});

describe('an app that nsv has given up', () => {
  it('is retried after `retryAfter`, which counts as a restart', () => {
    const web = new Supervised({ retryAfter: 60_000, rules: { maxRestarts: 0 } });
    web.spawnFails = 'EACCES';
    web.happens({ type: 'start' });
    expect(web.state).toMatchObject({ kind: 'errored', deadline: 60_000 });
    web.spawnFails = undefined;
    web.reported = [];
    web.waitsUntil(60_000);
    expect(web.effects).toEqual(['spawn', 'bind', 'spawn']);
    expect(web.reported[0]).toEqual({ do: 'countRestart', delay: 0 });
    expect(web.state.kind).toBe('starting');
  });
});
