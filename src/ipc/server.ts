// The daemon's end of the wire: one socket and its connections.
import { createServer as createSocketServer, type Socket } from 'node:net';
import { listenOn, listenPrivately } from '../os/socket-file.ts';
import { rawHandle } from '../os/sockets/node-handles.ts';
import { pause, realClock } from '../shared/clock.ts';
import { failure, type NsvError } from '../shared/errors.ts';
import type { HomePaths } from '../shared/paths.ts';
import { defaultLimits, type ServerLimits } from './limits.ts';
import type { Hello } from './protocol.ts';
import { badRequest, type Route, type RpcError, rpcCodes, rpcError } from './rpc.ts';
import { type ConnectionService, ServerConnection } from './server-connection.ts';

export interface ServerOptions {
  paths: Pick<HomePaths, 'socket'>;
  route: Route;
  hello: Hello;
  /** Missing ones are taken from `defaultLimits`. */
  limits?: Partial<ServerLimits>;
  /** The descriptor of a socket that the previous daemon has bound. */
  inherited?: number;
  /** Called when a connection could not be accepted, for example for lack of descriptors. */
  onError?: (error: Error) => void;
}

export interface Server {
  /** A process that receives this socket can accept connections on it too. */
  readonly socket: { readonly fd: number };
  /** Ends every connection after sending this error. */
  refuse(error: NsvError): void;
  /** Resolves when no call is pending, or after a short timeout. */
  answered(): Promise<void>;
  /** Closes the socket at once, gives pending calls a moment to finish, and ends every connection. */
  close(): Promise<void>;
}

/** Milliseconds between polls of something that takes only a moment. */
const interval = 5;

/** Listens with mode 0600. A stale socket file must be gone: see `claimHome`. Rejects with the system's error. */
export async function createServer(options: ServerOptions): Promise<Server> {
  const { paths, route, hello, limits, inherited, onError } = options;
  const service: ConnectionService = { route, hello, limits: { ...defaultLimits, ...limits }, onHold: shed };
  /** Oldest first. */
  const connections = new Set<ServerConnection>();

  function admit(socket: Socket): void {
    const connection = new ServerConnection(socket, service);
    connections.add(connection);
    socket.on('close', () => connections.delete(connection));
    if (connections.size > service.limits.connections) makeRoom();
  }

  /** Closes the oldest idle connection, so that idle clients cannot lock out `nsv list`. The newest one is idle too. */
  function makeRoom(): void {
    for (const connection of connections) {
      if (connection.isBusy) continue;
      refuse(connection, tooMany);
      return;
    }
  }

  /** Stops clients from filling the memory with incomplete messages. The longest is least likely a command's. */
  function shed(): void {
    const holders = [...connections].sort((one, other) => other.held - one.held);
    const total = holders.reduce((sum, { held }) => sum + held, 0);
    if (total > service.limits.held) refuse(holders[0]!, tooLong);
  }

  /** Removes it from the set at once, because 'close' comes in a later turn of the loop. */
  function refuse(connection: ServerConnection, error: RpcError): void {
    connections.delete(connection);
    connection.refuse(error);
  }

  const tooLong = badRequest(rpcCodes.parseError, 'too many messages have begun and not ended');
  const tooMany = rpcError(
    rpcCodes.application,
    failure('DAEMON_UNREACHABLE', { socket: paths.socket, detail: 'too many connections' }),
  );
  const server = createSocketServer({ allowHalfOpen: true }, admit);
  await (inherited === undefined ? listenPrivately(server, paths.socket) : listenOn(server, inherited));
  server.on('error', (error) => onError?.(error));

  return {
    socket: rawHandle(server),
    refuse(error) {
      for (const connection of connections) connection.refuse(rpcError(rpcCodes.application, error));
    },
    async answered() {
      const deadline = realClock.now() + service.limits.drainTimeout;
      while ([...connections].some(({ isBusy }) => isBusy) && realClock.now() < deadline)
        await pause(realClock, interval);
    },
    close: () =>
      new Promise((resolve) => {
        const cancel = realClock.after(service.limits.drainTimeout, () => {
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
