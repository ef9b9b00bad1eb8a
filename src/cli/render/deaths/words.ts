// How a death is told, and an exit.
import { describeCause } from '../../../ipc/records/deaths.ts';
import type { DeathSummary, DeathView, Exit } from '../../../ipc/views.ts';

/** The cause, and whether it is only probable. */
export function causeText({ cause, certain }: Pick<DeathView, 'cause' | 'certain'>): string {
  return certain ? cause : `${cause}, probably`;
}

/** The error, the evidence, who asked for it, or the exit: whatever says most. */
export function evidenceOf({ error, detail, by, exit, cause, overdue }: DeathView): string {
  const asked = by === null || by === detail ? '' : `by ${by}`;
  const killed = overdue && cause !== 'kill timeout' ? 'killed at the kill timeout' : '';
  // The detail of a failed `listen` says who has the port, which the error does not.
  const [first, second] = cause === 'listen failed' ? [detail, error?.headline] : [error?.headline, detail];
  const most = first ?? second ?? (cause === 'asked' ? '' : exitText(exit));
  return [asked, most, killed].filter((text) => text !== '').join(': ');
}

/** `uncaught error, 11 times, the last at 2026-01-31T09:00:00.000Z: Error: listen EADDRINUSE` */
export function deathText({ cause, about, times, lastAt }: DeathSummary): string {
  const often = times > 1 ? `, ${times} times, the last` : '';
  return `${cause}${often} at ${new Date(lastAt).toISOString()}: ${about}`;
}

/** For a narrow column: `Error: listen EADDRINUSE (11 times)` */
export function summaryText(death: DeathSummary): string {
  const what = describeCause(death);
  return death.times > 1 ? `${what} (${death.times} times)` : what;
}

export function exitText({ code, signal }: Exit): string {
  if (code === null && signal === null) return 'unknown: an earlier daemon had started the process';
  return signal === null ? `code ${code}` : `signal ${signal}`;
}
