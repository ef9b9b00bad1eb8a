// The first call on a connection, sent before most of the program that makes it is loaded.
// The entry point of the command line (src/cli/main.ts) compiles this file each time, so it is small.
import type { Socket } from 'node:net';
import { renderLine } from './frame.ts';
import type { CallerView } from './journal/event-views.ts';
import type { MethodName } from './protocol.ts';
import type { RpcId } from './rpc.ts';

/** A connection whose first call is on its way. */
export interface AskedAhead {
  readonly socket: Socket;
  readonly method: MethodName;
  /** The call as it was sent. */
  readonly line: string;
}

/** The id of the first call of every connection. */
export const firstCall = 1;

/** Sends the first call on a connection on which nothing has been sent. */
export function askFirst(socket: Socket, method: MethodName, params: object): AskedAhead {
  const line = renderCall(firstCall, method, params);
  socket.write(line);
  return { socket, method, line };
}

export function renderCall(id: RpcId, method: string, params: object, caller?: CallerView): string {
  return renderLine({ jsonrpc: '2.0', id, method, params, caller });
}
