// Notices a loop that hangs at an `await`: while it hangs there, the event loop turns, and so do timers. A blocked event loop is
// noticed from outside (`--watchdog`).
import type { WatchdogTimer, WatchdogTimerConfiguration } from '../../app/index.cjs';
import { bridge } from './bridge.ts';
import { durationOf, wall } from './clock.ts';

/** Characters. */
const longestName = 200;

export function createWatchdogTimer({ timeout, onTimeout, name }: WatchdogTimerConfiguration): WatchdogTimer {
  const ms = durationOf('timeout', timeout);
  // The daemon closes the channel of a process that sends anything else.
  const title = String(name ?? '').slice(0, longestName);
  if (typeof onTimeout !== 'function') throw new TypeError('createWatchdogTimer: "onTimeout" must be a function');
  let since = wall();
  let consequentTimeouts = 0;
  let isKnown = false;
  let timer: NodeJS.Timeout | undefined = setTimeout(fire, ms).unref();

  function fire(): void {
    consequentTimeouts += 1;
    timer?.refresh();
    if (consequentTimeouts === 1) report();
    onTimeout({ consequentTimeouts });
  }

  /** So that the record of a death that follows says what was the matter, and no record does once the loop has gone on. */
  function report(): void {
    bridge()?.send({ type: 'watchdog', name: title, since: consequentTimeouts > 0 ? since : null });
    if (!isKnown) bridge()?.onReconnected(report);
    isKnown = true;
  }

  function reset(): void {
    if (!timer) return;
    since = wall();
    timer.refresh();
    if (consequentTimeouts === 0) return;
    consequentTimeouts = 0;
    report();
  }

  function destroy(): void {
    clearTimeout(timer);
    timer = undefined;
  }

  return { reset, refresh: reset, destroy };
}
