// A pair of connected TCP sockets of this machine: one end for the daemon, the other for a process.
//
// TCP and not a Unix socket, because apps look at the address of their client.
import { connect, type Socket } from 'node:net';
import { type Bound, bindServer, type Handle, type ServerHandle } from '../../os/handle.ts';

export interface LoopbackPair {
  near: Socket;
  /** As a server would have accepted it. */
  far: Handle;
}

/** Others on this machine can connect to the port too, for the moment in which it is open; they are turned away. */
export function loopbackPair(): Promise<LoopbackPair> {
  const { handle: server, address } = bindServer({ kind: 'tcp', host: '127.0.0.1', port: 0 });
  return new Promise((resolve, reject) => {
    const accepted: Handle[] = [];
    const fail = (error: Error) => {
      close(server, accepted);
      near.destroy();
      reject(error);
    };
    const look = () => {
      const far = accepted.find((handle) => peerOf(handle) === near.localPort);
      if (near.connecting || !far) return;
      near.off('error', fail);
      close(
        server,
        accepted.filter((handle) => handle !== far),
      );
      resolve({ near, far });
    };
    server.onconnection = (errno, handle) => {
      if (errno !== 0) return;
      accepted.push(handle);
      look();
    };
    server.listen(1);
    const near = connect({ host: '127.0.0.1', port: portOf(address), noDelay: true });
    near.once('connect', look);
    near.once('error', fail);
  });
}

function close(server: ServerHandle, accepted: readonly Handle[]): void {
  server.onconnection = null;
  server.close();
  for (const handle of accepted) handle.close();
}

function portOf(address: Bound['address']): number {
  return address.transport === 'unix' ? 0 : address.port;
}

function peerOf(handle: Handle): number | undefined {
  const peer: { port?: number } = {};
  return handle.getpeername?.(peer) === 0 ? peer.port : undefined;
}
