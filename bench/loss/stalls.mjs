// How long the load's own event loop stood still. What its clients counted meanwhile says nothing about the server.
import { monitorEventLoopDelay } from 'node:perf_hooks';

/** A load whose loop stood still for longer than this, in milliseconds, has counted nothing that counts. */
export const mostStall = 1000;

/** Begins to watch. `longest` is in milliseconds, and knows of a stall once the loop has turned after it. */
export function watchStalls() {
  const delay = monitorEventLoopDelay({ resolution: 10 });
  delay.enable();
  return {
    get longest() {
      return delay.max / 1e6;
    },
    stop: () => delay.disable(),
  };
}
