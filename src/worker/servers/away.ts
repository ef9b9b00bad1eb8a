// Has clients go elsewhere while the process is out of the accept queue: their next response says that the connection ends.
// Their requests are answered, and the process may get new clients later.
import { afterReading } from '../drain.ts';
import { Connections } from './connections.ts';
import { announceClose, stopAnnouncing } from './responses.ts';
import { servers } from './servers.ts';
import { closeSessions } from './sessions.ts';

/** Saved, because an app may replace it, for example with fake timers. */
const { clearInterval } = globalThis;

type Reason = 'failing' | 'unready';

const reasons = new Set<Reason>();
let closing: NodeJS.Timeout | undefined;

/** WebSockets stay: if the process lives on after all, its clients have lost nothing. */
export function redirectClients(reason: Reason): void {
  reasons.add(reason);
  announceClose(reason);
  closeSessions();
  const connections = new Connections(servers);
  closing ??= afterReading(() => connections.closeAnnounced()).unref();
}

export function keepClients(reason: Reason): void {
  stopAnnouncing(reason);
  if (!reasons.delete(reason) || reasons.size > 0) return;
  clearInterval(closing);
  closing = undefined;
}
