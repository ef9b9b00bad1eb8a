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
import { send } from './channel.ts';
import { monotonicNow } from './clock.ts';

/**
 * `quiet`: idle connections are closed after a time without traffic. `kept`: they stay until then, and are closed at once after that.
 * `isReportDue`: whether the daemon does not know yet that only idle connections are left.
 */
type IdleRule = { kind: 'quiet' } | { kind: 'kept'; until: number; isReportDue: boolean };

let rule: IdleRule = { kind: 'quiet' };

/** Keeps idle connections for so many milliseconds. `reports`: tell the daemon when nothing else is left. */
export function keepIdle(time: number, reports: boolean): void {
  rule = { kind: 'kept', until: monotonicNow() + time, isReportDue: reports };
}

/** Milliseconds for which idle connections are still kept; null if a time without traffic decides. */
export function idleTime(): number | null {
  return rule.kind === 'kept' ? Math.max(0, rule.until - monotonicNow()) : null;
}

/** No other process serves any more. */
export function stopKeepingIdle(): void {
  rule = { kind: 'quiet' };
}

export function isKeepingIdle(): boolean {
  return (idleTime() ?? 0) > 0;
}

/** `isQuiet`: there was no traffic for long enough. */
export function mayCloseIdle(isQuiet: boolean): boolean {
  return rule.kind === 'quiet' ? isQuiet : !isKeepingIdle();
}

/** All requests are answered. No command waits for connections that are only kept. */
export function reportIdle(): void {
  if (rule.kind !== 'kept' || !rule.isReportDue || !isKeepingIdle()) return;
  rule = { ...rule, isReportDue: false };
  send({ type: 'only-idle-left' });
}
