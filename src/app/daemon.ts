// Calls that need the daemon, or an answer of it.
import type { InstanceInfo } from '../../app/index.cjs';
import type { Bridge, LibraryMessage } from '../ipc/app/bridge.ts';
import { bridge } from './bridge.ts';
import { within } from './clock.ts';
import { instance } from './instance.ts';
import { shared } from './shared.ts';

/** Milliseconds. */
const timeout = 2_000;
const late = Symbol('late');

/** An error that a program can tell apart by its code. */
export function appError(code: 'NSV_NO_DAEMON' | 'NSV_TOO_FAST' | 'NSV_TOO_LARGE', message: string): Error {
  return Object.assign(new Error(message), { code });
}

/**
 * Resolves when `begin` has called `done`; rejects with NSV_NO_DAEMON after two seconds. Its timer keeps the process alive, because
 * somebody awaits the result, and nothing else may be under way.
 */
async function inTime<T>(begin: (done: (value: T) => void) => void): Promise<T> {
  const result = await within(timeout, new Promise<T>(begin), late);
  if (result === late) throw appError('NSV_NO_DAEMON', 'the daemon of nsv does not answer at the moment');
  return result;
}

/** Tells the daemon, or the next one if there is none at the moment. Rejects with NSV_NO_DAEMON. */
export async function sendToDaemon(bridge: Bridge, news: LibraryMessage): Promise<void> {
  if (bridge.send(news)) return;
  const waiting = shared('waiting for the daemon', () => {
    const all = new Set<() => void>();
    bridge.onReconnected(() => {
      for (const done of all) done();
      all.clear();
    });
    return all;
  });
  let back = () => {};
  try {
    await inTime<void>((done) => {
      back = done;
      waiting.add(done);
    });
  } finally {
    waiting.delete(back);
  }
  if (!bridge.send(news)) throw appError('NSV_NO_DAEMON', 'there is no daemon of nsv at the moment');
}

interface State {
  lastSeq: number;
  waiting: Map<number, (instances: InstanceInfo[]) => void>;
}

/** Of the app: those that run, and those that have ended. */
export async function instances(): Promise<InstanceInfo[]> {
  const daemon = bridge();
  if (!daemon) return [thisProcess()];
  const own = shared<State>('instances', create);
  own.lastSeq += 1;
  const seq = own.lastSeq;
  try {
    await sendToDaemon(daemon, { type: 'ask-instances', seq });
    // The answer comes in a later turn.
    return await inTime((done) => own.waiting.set(seq, done));
  } finally {
    own.waiting.delete(seq);
  }
}

function create(): State {
  const own: State = { lastSeq: 0, waiting: new Map() };
  bridge()?.onMessage('instances', ({ seq, instances }) => own.waiting.get(seq)?.(instances));
  return own;
}

function thisProcess(): InstanceInfo {
  const since = Math.round(performance.timeOrigin);
  const now = Math.round(performance.timeOrigin + performance.now());
  // Not loaded by whoever uses other parts of this library.
  const { hostname } = process.getBuiltinModule('node:os');
  return {
    slot: instance.slot,
    id: instance.id,
    pid: process.pid,
    host: hostname(),
    alive: true,
    since,
    lastSeen: now,
  };
}
