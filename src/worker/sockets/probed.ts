// Serves the connections by which the daemon asks this very process, whoever accepts on its sockets, and however the
// process stands in the accept queue.
import { send } from '../channel.ts';
import type { NodeHandle } from '../node-sockets.ts';
import { handleOf, reportedKeyOf, servers } from '../servers/servers.ts';
import { serveHere } from './spread.ts';

/**
 * Passes the connection to the server of this process that listens there, as if it had accepted it. The primary of a cluster
 * passes it on to one of its workers.
 */
export function serveProbe(key: string, seq: number, client: NodeHandle | undefined): void {
  if (!client) return;
  const handle = [...servers].map(handleOf).find((candidate) => candidate && reportedKeyOf(candidate) === key);
  send({ type: handle ? 'accepted' : 'declined', seq });
  if (handle) serveHere(handle, client);
  else client.close();
}
