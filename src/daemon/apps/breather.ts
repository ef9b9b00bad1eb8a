// What a command does to a thousand apps at once, it does in slices: in between, the daemon answers other clients.
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Clock } from '../../shared/clock.ts';
import { oneByOne } from '../../shared/promises.ts';

/** Milliseconds. A turn of the event loop in which processes are stopped begins with a look at all processes, which takes some 20 ms. */
const slice = 50;

/** Returns a function that lets its callers pass in order: in this turn of the event loop, or once that has taken long in the next one. */
export function createBreather({ now }: Pick<Clock, 'now'>): () => Promise<void> {
  const inTurn = oneByOne();
  let begun: number | undefined;

  function begin(): void {
    begun = now();
    setImmediate(() => (begun = undefined));
  }

  return () =>
    inTurn(async () => {
      if (begun === undefined) begin();
      else if (now() - begun >= slice) await nextTurn().then(begin);
    });
}
