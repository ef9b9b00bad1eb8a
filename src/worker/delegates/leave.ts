// Drains the servers of a delegate when the process of nsv has to leave.
import { answerFirst, assist, connectionsPassedOn, drain } from '../drain.ts';
import type { FromDelegate, ToDelegate } from './messages.ts';

let isDraining = false;
let lastRound = 0;
let passedBefore: number | undefined;

export function leave({ round, patience }: ToDelegate, tell: (message: FromDelegate) => void): void {
  lastRound = round;
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
