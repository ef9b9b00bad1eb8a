// The request that has thrown: it is never answered, so its connection would keep a dying process for the whole of the
// kill timeout, and its client waiting.
//
// Node numbers whatever calls back, so the answer is there when it is needed and costs nothing before: an error in a
// 'request' or 'data' listener is thrown by the parser of the connection, one in an 'end' listener by a tick of that
// parser's. After a timer, a promise or a query of a database nobody can tell without watching every request.
import { executionAsyncId, executionAsyncResource, triggerAsyncId } from 'node:async_hooks';
import { type HttpSocket, httpConnectionsOf } from '../node-internals.ts';
import { servers } from '../servers/servers.ts';

/** To be asked before Node has dealt with the error: it then forgets where it was. */
export function failingRequest(): HttpSocket | undefined {
  const id = isTick(executionAsyncResource()) ? triggerAsyncId() : executionAsyncId();
  const connections = [...servers].flatMap((server) => [...httpConnectionsOf(server).keys()]);
  const socket = connections.find(({ parser }) => parser?.getAsyncId?.() === id);
  return socket && isUnanswered(socket) ? socket : undefined;
}

/** `process.nextTick`, which runs before anything else can happen on the connection. */
function isTick(resource: object): boolean {
  return 'callback' in resource && 'args' in resource;
}

/** And there is no other request on it that may still be answered. */
function isUnanswered({ _httpMessage: response, parser }: HttpSocket): boolean {
  return Boolean(response) && !response?.writableEnded && response?.req === parser?.incoming;
}
