// Drains the servers of a delegate when the process of nsv has to leave.

import { answerFirst, assist, connectionsPassedOn, drain } from '../drain.ts';
import { hurry, keepIdleFor } from '../idle.ts';
import { hurryDelegates } from './delegates.ts';
import type { FromDelegate, ToDelegate } from './messages.ts';

let isDraining = false;
let lastRound = 0;
let passedBefore: number | undefined;

/** No other process serves any more. A worker of a cluster may have threads of its own. */
export function hurryAll(): void {
  hurry();
  hurryDelegates();
}

/** Drains, or stops keeping idle connections. */
export function leave(message: ToDelegate, tell: (message: FromDelegate) => void): void {
  if (message.type === 'hurry') {
    hurryAll();
    return;
  }
  const { round, patience, idle } = message;
  lastRound = round;
  if (idle !== null) keepIdleFor(idle, true);
  if (isDraining) return;
  isDraining = true;
  const done = () => {
    isDraining = false;
    const passed = connectionsPassedOn();
    tell({ type: 'drained', round: lastRound, sure: passed === passedBefore });
    passedBefore = passed;
    // The app's own handlers decide from here.
    if (patience !== null) assist();
  };
  if (patience === null) drain(done);
  else answerFirst(patience, done);
}
