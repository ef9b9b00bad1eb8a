// Counts HTTP requests for apps that are replaced after a number of them.
//
// Node's diagnostics channel and http2 sessions report every request, so the app's servers get no listener and its
// stacks no frame. Without a limit, nothing is counted.
import type { ServerHttp2Session } from 'node:http2';
import type { DownMessage } from '../../ipc/worker-messages.ts';
import { send } from '../channel.ts';

let limit = 0;
let count = 0;

export function limitRequests({ maxRequests }: Extract<DownMessage, { type: 'hello' }>): void {
  // A process greets each daemon, and each broker, but counts once.
  if (maxRequests === 0 || limit > 0) return;
  limit = maxRequests;
  // Covers http, https, and HTTP/1 on http2 servers.
  process.getBuiltinModule('node:diagnostics_channel').subscribe('http.server.request.start', countOne);
}

/** Node 20 has no diagnostics channel for http2. */
export function countStreams(session: ServerHttp2Session): void {
  if (limit > 0) session.on('stream', countOne);
}

function countOne(): void {
  count += 1;
  if (count === limit) send({ type: 'request-limit', requests: limit });
}
