// The daemon's end of the wire: one socket, and how many may hold on to it.
import { createServer as createSocketServer, type Socket } from 'node:net';
import { realClock } from '../shared/clock.ts';
import { failure } from '../shared/errors.ts';
import type { HomePaths } from '../shared/paths.ts';
import { listenPrivately } from '../shared/socket-file.ts';
import { defaultLimits, type Limits } from './limits.ts';
import type { Hello } from './protocol.ts';
import { type Route, rpcCodes, rpcError } from './rpc.ts';
import { ServerConnection } from './server-connection.ts';

export interface ServerOptions {
  paths: Pick<HomePaths, 'socket'>;
  route: Route;
  hello: Hello;
  /** Those that are not given are `defaultLimits`. */
  limits?: Partial<Limits>;
  /** Told when a connection could not be accepted, for want of descriptors. */
  onError?: (error: Error) => void;
}

export interface Server {
  /** Takes the socket away at once, lets calls under way be answered for a moment, and ends every connection. */
  close(): Promise<void>;
}

/** Listens, mode 0600. A stale socket file must be gone: see `claimHome`. Rejects with the system's error. */
export async function createServer({ paths, route, hello, limits, onError }: ServerOptions): Promise<Server> {
  const service = { route, hello, limits: { ...defaultLimits, ...limits } };
  /** In order of age. */
  const connections = new Set<ServerConnection>();

  function admit(socket: Socket): void {
    const connection = new ServerConnection(socket, service);
    connections.add(connection);
    socket.on('close', () => connections.delete(connection));
    if (connections.size > service.limits.connections) makeRoom();
  }

  /** So idle clients cannot lock out `nsv list`. The newest has no call yet, so at the worst it is the one to go. */
  function makeRoom(): void {
    for (const connection of connections) {
      if (connection.isBusy) continue;
      // Now: its 'close' comes in a later turn of the loop, and more connections may come before it.
      connections.delete(connection);
      connection.refuse(tooMany);
      return;
    }
  }

  const tooMany = rpcError(
    rpcCodes.application,
    failure('DAEMON_UNREACHABLE', { socket: paths.socket, detail: 'it has too many connections' }),
  );
  const server = createSocketServer({ allowHalfOpen: true }, admit);
  await listenPrivately(server, paths.socket);
  server.on('error', (error) => onError?.(error));

  return {
    close: () =>
      new Promise((resolve) => {
        const cancel = realClock.after(service.limits.farewell, () => {
          for (const connection of connections) connection.destroy();
        });
        server.close(() => {
          cancel();
          resolve();
        });
        for (const connection of connections) connection.finish();
      }),
  };
}
