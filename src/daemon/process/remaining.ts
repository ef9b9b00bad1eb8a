// What is left of a process that was asked to end. Pure.
import { describeResources } from '../../ipc/records/resources.ts';
import type { UpMessage } from '../../ipc/worker-messages.ts';

/** What clients still have of it. */
export type Remains = 'idle connections' | 'nothing';

type Remaining = Pick<Extract<UpMessage, { type: 'remaining' }>, 'waitsFor' | 'connected' | 'failed'>;

/** `has not exited since SIGTERM: it waits for 1 timer, and cannot connect to 127.0.0.1:4318 (ECONNREFUSED)` */
export function describeRemaining({ waitsFor, connected, failed }: Remaining, stopSignal: NodeJS.Signals): string {
  const resources = describeResources(waitsFor);
  const what = [
    resources === '' ? 'Node does not report what it waits for' : `it waits for ${resources}`,
    ...(connected.length > 0 ? [`is connected to ${connected.join(', ')}`] : []),
    ...(failed.length > 0 ? [`cannot connect to ${failed.join(', ')}`] : []),
  ];
  const last = what.length > 1 ? `, and ${what.pop()}` : '';
  return `has not exited since ${stopSignal}: ${what.join(', ')}${last}`;
}
