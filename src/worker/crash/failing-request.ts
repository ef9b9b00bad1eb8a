// Finds the request that threw an uncaught error. It will never be answered, so its connection would keep the dying
// process alive, and its client waiting, for the whole kill timeout.
//
// Node's async ids give the answer when it is needed, at no cost before: an error in a 'request' or 'data' listener is
// thrown in the context of the connection's parser, one in an 'end' listener in a tick that the parser triggered. An
// error thrown after a timer, a promise or a database query cannot be traced without watching every request.
import { executionAsyncId, executionAsyncResource, triggerAsyncId } from 'node:async_hooks';
import { type HttpSocket, httpConnectionsOf, responseOn } from '../node-http.ts';
import { servers } from '../servers/servers.ts';

/** Must be called before Node handles the error, because Node then resets its async ids. */
export function failingRequest(): HttpSocket | undefined {
  const id = isTick(executionAsyncResource()) ? triggerAsyncId() : executionAsyncId();
  const connections = [...servers].flatMap((server) => [...httpConnectionsOf(server).keys()]);
  const socket = connections.find(({ parser }) => parser?.getAsyncId?.() === id);
  return socket && isUnanswered(socket) ? socket : undefined;
}

/** Whether this is a `process.nextTick` callback. It runs before anything else can happen on the connection. */
function isTick(resource: object): boolean {
  return 'callback' in resource && 'args' in resource;
}

/** Whether the request is unanswered and no later one on the connection may still be answered. */
function isUnanswered(socket: HttpSocket): boolean {
  const response = responseOn(socket);
  return Boolean(response) && !response?.writableEnded && response?.req === socket.parser?.incoming;
}
