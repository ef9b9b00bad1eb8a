// Counts the HTTP requests of an app that is to be replaced after so many.
//
// Node's diagnostics channel and the sessions of http2 see every request, and the app sees nothing of it: no listener on
// its servers, no frame in its stacks. Where there is no limit, nothing is counted.
import type { ServerHttp2Session } from 'node:http2';
import type { DownMessage } from '../../ipc/worker-messages.ts';
import { tell } from '../channel.ts';

let limit = 0;
let count = 0;

export function limitRequests({ maxRequests }: Extract<DownMessage, { type: 'hello' }>): void {
  if (maxRequests === 0) return;
  limit = maxRequests;
  // Of http and https, and of http2 servers that speak HTTP/1.
  process.getBuiltinModule('node:diagnostics_channel').subscribe('http.server.request.start', countOne);
}

/** For http2 there is a channel too, but not on Node 20. */
export function countStreams(session: ServerHttp2Session): void {
  if (limit > 0) session.on('stream', countOne);
}

function countOne(): void {
  count += 1;
  if (count === limit) tell({ type: 'spent', requests: limit });
}
