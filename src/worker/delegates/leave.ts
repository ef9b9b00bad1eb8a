// Drains the servers of a delegate when the process of nsv has to leave.
import { answerFirst, assist, connectionsPassedOn, drain } from '../drain.ts';
import { keepIdle, stopKeepingIdle } from '../idle.ts';
import { stopDelegatesKeepingIdle } from './delegates.ts';
import type { FromDelegate, ToDelegate } from './messages.ts';

let isDraining = false;
let lastRound = 0;
let passedBefore: number | undefined;

/** No other process serves any more. A worker of a cluster may have threads of its own. */
export function stopKeepingIdleEverywhere(): void {
  stopKeepingIdle();
  stopDelegatesKeepingIdle();
}

/** Drains, or stops keeping idle connections. */
export function leaveDelegate(message: ToDelegate, send: (message: FromDelegate) => void): void {
  if (message.type === 'stop-keeping-idle') {
    stopKeepingIdleEverywhere();
    return;
  }
  const { round, timeout, idle } = message;
  lastRound = round;
  if (idle !== null) keepIdle(idle, true);
  if (isDraining) return;
  isDraining = true;
  const done = () => {
    isDraining = false;
    const passed = connectionsPassedOn();
    send({ type: 'drained', round: lastRound, sure: passed === passedBefore });
    passedBefore = passed;
    // The app's own handlers decide from here.
    if (timeout !== null) assist();
  };
  if (timeout === null) drain(done);
  else answerFirst(timeout, done);
}
