// What whoever waits for a command is told of an event of the app. Pure.
import type { DaemonEvent } from '../events.ts';

/** Undefined if the result of the command says it. */
export function noticeOf(event: DaemonEvent): string | undefined {
  switch (event.type) {
    case 'kill-timeout':
      return `${subjectOf(event)} ${event.detail} and was killed`;
    case 'requests-cut':
      return `${subjectOf(event)} had ${event.requests} ${event.requests === 1 ? 'request' : 'requests'} in flight`;
    case 'not-exiting':
      return `${subjectOf(event)} ${event.detail}`;
    default:
      return undefined;
  }
}

function subjectOf({ app, slot }: { app: string; slot: number }): string {
  return `${app} (instance ${slot})`;
}
