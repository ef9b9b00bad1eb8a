// What a process says through the library `nsv/app`, and what becomes of it.
import { beforeEach, describe, expect, it } from 'vitest';
import { reportsReadiness, WorkerLine } from '../../../../src/daemon/process/worker-line.ts';
import { marker, type UpMessage } from '../../../../src/ipc/worker-messages.ts';

type Options = ConstructorParameters<typeof WorkerLine>;

const calls: unknown[] = [];
let child: Options[0];
let line: WorkerLine;

beforeEach(() => {
  calls.length = 0;
  const note = (name: string) => (reason?: unknown) => void calls.push(reason === undefined ? name : [name, reason]);
  const dispatch = ({ type, reason }: { type: string; reason?: unknown }) => note(type)(reason);
  const sockets = { leaving: note('sockets leave'), receive: () => {} };
  const unready = { set: (cause: string, reason: string | null) => void calls.push([cause, reason]) };
  child = { pid: 42, plan: { spec: { name: 'web' }, id: 0, slot: 0 }, send: () => true } as unknown as Options[0];
  const owner = { settings: {}, dispatch, emit() {} };
  line = new WorkerLine(child, { sockets } as never, owner as never, unready);
});

const receive = (message: object) => line.onMessage({ cmd: marker, ...message } as UpMessage, true);

describe('an app that reports its readiness', () => {
  it('is unready with its reason, and ready once it reports so', () => {
    expect(reportsReadiness(child)).toBe(false);
    receive({ type: 'readiness', ready: false, reason: 'the queue is full' });
    receive({ type: 'readiness', ready: false, reason: '' });
    receive({ type: 'readiness', ready: true, reason: '' });
    expect(reportsReadiness(child)).toBe(true);
    const reasons = [['app', 'the queue is full'], 'notReady', ['app', 'it called notReady()'], 'notReady'];
    expect(calls).toEqual([...reasons, ['app', null], 'ready']);
  });
});

describe('the reason of a process that leaves', () => {
  const leave = (rest: object) => {
    receive({ type: 'leaving', reason: 'tired', ...rest });
    return calls.at(-1);
  };
  const since = Date.UTC(2026, 10, 24, 9, 30);
  const detail = 'the watchdog timer "queue" was not reset since 2026-11-24T09:30:00.000Z';

  it('is an uncaught error, a request of the app, or a signal', () => {
    expect(leave({})).toEqual(['leaving', { cause: 'uncaught error', detail: 'tired' }]);
    expect(leave({ by: 'app' })).toEqual(['leaving', { cause: 'asked', by: 'the app', detail: 'tired' }]);
    expect(leave({ by: 'signal' })).toEqual(['leaving', { cause: 'signal', detail: 'tired' }]);
  });

  it('is a watchdog timer that has fired, unless it has been reset', () => {
    receive({ type: 'watchdog', name: 'queue', since });
    expect(line.hung).toEqual({ cause: 'watchdog timer', detail });
    expect(leave({ by: 'app' })).toEqual(['leaving', { cause: 'watchdog timer', detail }]);
    receive({ type: 'watchdog', name: 'queue', since: null });
    expect(leave({ by: 'app' })).toMatchObject(['leaving', { cause: 'asked' }]);
  });

  it('omits an impossible time and a missing name', () => {
    receive({ type: 'watchdog', name: 'queue', since: Number.MAX_SAFE_INTEGER });
    expect(line.hung?.detail).toBe('the watchdog timer "queue" was not reset since unknown');
    receive({ type: 'watchdog', name: '', since });
    expect(line.hung?.detail).toBe('a watchdog timer was not reset since 2026-11-24T09:30:00.000Z');
  });
});
