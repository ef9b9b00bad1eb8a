// Tells the daemon of errors that a handler of the app has taken. Many such handlers send a report, and exit when it is
// sent. Until then the process serves, and what it has accepted by then would be lost. So the daemon takes it out of the
// accept queue for some seconds, and its clients are told to connect elsewhere.
//
// Nothing is reported of an app that was seen to live on after such an error.
import type { FailureKind } from '../../ipc/worker-messages.ts';
import { onceAlone, tell } from '../channel.ts';
import { keepClients, sendAway } from '../servers/away.ts';
import { servers } from '../servers/servers.ts';
import { whenMoved } from '../sockets/accept-queue.ts';
import { handleKeyOf } from '../sockets/handles.ts';

/** What the daemon wants to hear of. */
let wanted: readonly FailureKind[] = [];
/** Each kind is reported once: either the process exits, or the daemon wants to hear no more of that kind. */
const told = new Set<FailureKind>();

/** Called once, before `wantFailures`. */
export function watchQueue(): void {
  whenMoved((isOut) => {
    if (isOut && told.size > 0) sendAway('failing');
    else keepClients('failing');
  });
  onceAlone(() => {
    wanted = [];
    told.clear();
  });
}

export function wantFailures(kinds: readonly FailureKind[]): void {
  wanted = kinds;
}

export function reportFailure(kind: FailureKind): void {
  if (told.has(kind) || !wanted.includes(kind) || !isServing()) return;
  told.add(kind);
  tell({ type: 'failed', kind });
}

/** Whether it has a socket that others may accept from instead. */
function isServing(): boolean {
  return [...servers].some(({ _handle: handle }) => handle && handleKeyOf(handle) !== undefined);
}
