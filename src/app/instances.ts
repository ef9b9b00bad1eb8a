// The instances of the app: those that run, and those that have ended.
import type { InstanceInfo } from '../../app/index.cjs';
import { bridge } from './bridge.ts';
import { inTime, tellDaemon } from './daemon.ts';
import { instance } from './instance.ts';
import { shared } from './shared.ts';

interface State {
  lastSeq: number;
  waiting: Map<number, (instances: InstanceInfo[]) => void>;
}

export async function instances(): Promise<InstanceInfo[]> {
  const daemon = bridge();
  if (!daemon) return [thisProcess()];
  const own = shared<State>('instances', create);
  own.lastSeq += 1;
  const seq = own.lastSeq;
  try {
    await tellDaemon(daemon, { type: 'ask-instances', seq });
    // The answer comes in a later turn.
    return await inTime((done) => own.waiting.set(seq, done));
  } finally {
    own.waiting.delete(seq);
  }
}

function create(): State {
  const own: State = { lastSeq: 0, waiting: new Map() };
  bridge()?.hear('instances', ({ seq, instances }) => own.waiting.get(seq)?.(instances));
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
