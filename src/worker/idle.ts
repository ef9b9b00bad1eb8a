// How long a draining process keeps idle connections.
//
// A request that is on its way while the server closes the connection is lost. On loopback a second without traffic
// shows that none is. Across a network it does not: a client may send at any moment, and learns only later that the
// connection is closed. So where other processes serve, idle connections are left to Node, which closes each one when
// the time is over that its last response has advertised (`Keep-Alive: timeout=5`). Clients that heed it send nothing
// later.
//
// The limit is half a second before the kill timeout, as SIGKILL would reset what is open. It applies as well to clients
// that were told a longer time, or none: they may send at any moment, so closing earlier is never better, and the kill
// timeout is how long the user lets a process finish its work.
//
// Where nobody serves afterwards, a stop does not take longer for requests that nobody could answer a moment later.
import { tell } from './channel.ts';

/** Saved, because an app may replace them, for example with fake timers. */
const { setTimeout, clearTimeout, performance } = globalThis;

/** Milliseconds between the limit and the kill timeout. */
const reserve = 500;

/** `quiet`: they are closed after a time without traffic. `kept`: they stay. `over`: they are closed at once. */
let rule: 'quiet' | 'kept' | 'over' = 'quiet';
let limit: NodeJS.Timeout | undefined;
let limitAt = 0;
/** Whether it is still to be told that only idle connections are left. */
let isReportDue = false;

/** Keeps idle connections from now on. `reports`: the daemon wants to know when nothing else is left. */
export function keepIdle(killTimeout: number, { reports = false } = {}): void {
  keepIdleFor(killTimeout - Math.min(reserve, killTimeout / 2), reports);
}

/** Keeps idle connections for so many milliseconds. */
export function keepIdleFor(time: number, reports: boolean): void {
  clearTimeout(limit);
  rule = 'kept';
  isReportDue = reports;
  limitAt = performance.now() + time;
  const end = () => {
    rule = 'over';
  };
  limit = setTimeout(end, time).unref();
}

/** Milliseconds for which idle connections are still kept; null if a time without traffic decides. */
export function idleTime(): number | null {
  if (rule === 'quiet') return null;
  return rule === 'kept' ? Math.max(0, limitAt - performance.now()) : 0;
}

/** No other process serves any more. */
export function hurry(): void {
  clearTimeout(limit);
  rule = 'quiet';
}

export function isKeepingIdle(): boolean {
  return rule === 'kept';
}

/** `isQuiet`: there was no traffic for long enough. */
export function mayCloseIdle(isQuiet: boolean): boolean {
  return rule === 'over' || (rule === 'quiet' && isQuiet);
}

/** All requests are answered. No command waits for connections that are only kept. */
export function reportIdle(): void {
  if (!isReportDue || rule !== 'kept') return;
  isReportDue = false;
  tell({ type: 'lingering' });
}
