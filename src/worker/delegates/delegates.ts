// The delegates of this process. They drain before it exits, because they end with it.
//
// The primary of a cluster passes connections on, so one may be on its way to a worker that has nothing left to do. By
// then the primary accepts no more, and gives a worker its next connection only when it has taken the last. So when the
// worker says twice that it is done, and none has come in between, none is waiting either. A worker that begins to listen
// meanwhile may get one that was waiting, so it is asked again.
import { monotonicNow } from '../clock.ts';
import { idleTime } from '../idle.ts';
import type { FromDelegate, ToDelegate } from './messages.ts';

export interface Delegate {
  onMessage(message: FromDelegate): void;
  /** It is about to listen. */
  onListen(): void;
  /** It is gone, or has no servers left. */
  remove(): void;
}

interface Known {
  state: 'serving' | 'draining' | 'drained';
  /** Only idle connections are left. */
  onlyIdleLeft: boolean;
  inFlight: number;
  round: number;
  ask(): void;
  send(message: ToDelegate): void;
}

const delegates = new Set<Known>();
/** When requests should be answered; undefined to wait for all connections. */
let deadline: number | undefined;

export function addDelegate(send: (message: ToDelegate) => void): Delegate {
  const known: Known = {
    state: 'serving',
    onlyIdleLeft: false,
    inFlight: 0,
    round: 0,
    ask() {
      known.state = 'draining';
      known.onlyIdleLeft = false;
      known.round += 1;
      const { round } = known;
      send({
        type: 'drain',
        round,
        timeout: deadline === undefined ? null : Math.max(0, deadline - monotonicNow()),
        idle: idleTime(),
      });
    },
    send,
  };
  delegates.add(known);
  return {
    onMessage(message) {
      if (message.type === 'in-flight') known.inFlight = message.count;
      else if (message.type === 'only-idle-left') known.onlyIdleLeft = true;
      else if (message.round === known.round && known.state === 'draining') {
        known.inFlight = 0;
        if (message.sure) known.state = 'drained';
        else known.ask();
      }
    },
    onListen() {
      known.state = 'serving';
    },
    remove: () => void delegates.delete(known),
  };
}

/** Whether all delegates are drained. Asks those that were not asked yet, also those that the app starts meanwhile. */
export function areDelegatesDrained(until?: number): boolean {
  deadline = until;
  for (const delegate of delegates) if (delegate.state === 'serving') delegate.ask();
  return [...delegates].every(({ state }) => state === 'drained');
}

/** Whether delegates that are not drained have only idle connections, as far as they have said. */
export function areDelegatesIdle(): boolean {
  const isIdle = ({ state, onlyIdleLeft, inFlight }: Known) => state === 'drained' || (onlyIdleLeft && inFlight === 0);
  return [...delegates].every(isIdle);
}

/** Takes back that they may keep idle connections. */
export function stopDelegatesKeepingIdle(): void {
  for (const { send } of delegates) send({ type: 'stop-keeping-idle' });
}

export function hasDelegates(): boolean {
  return delegates.size > 0;
}

/** Number of pending HTTP requests in the delegates that drain. */
export function requestsInDelegates(): number {
  let count = 0;
  for (const { inFlight } of delegates) count += inFlight;
  return count;
}
