// Connections by which the daemon asks one process of a group, and not whichever accepts: it hands the process one end of a
// pair, as `rr` does with the connections of clients, and the server of that address serves it.
import { connect, type Socket } from 'node:net';
import {
  type DownMessage,
  marker,
  type ServerSpeech,
  type UpMessage,
  type WebScheme,
} from '../../ipc/worker-messages.ts';
import { renderOwn } from '../../os/address.ts';
import { type Bound, bindServer } from '../../os/sockets/handle.ts';
import type { Handle, ServerHandle } from '../../os/sockets/node-handles.ts';
import { deferred } from '../../shared/promises.ts';
import type { Child } from '../launch/launcher.ts';
import { nextHandOff } from './held-socket.ts';

/** A server of a process. */
export interface ProbedServer {
  key: string;
  /** Undefined if it takes no connections from the daemon: it is in a thread, or in a worker that accepts by itself. */
  speaks: ServerSpeech | undefined;
}

export interface ProbedPlace {
  port: number | undefined;
  /** The path of a Unix socket, instead of a port. */
  socket: string | undefined;
}

/** Whether the process has taken a connection: false if the server has been closed, undefined if the channel was lost meanwhile. */
export type Taken = boolean | undefined;

interface Announced {
  /** As the app wrote it: `127.0.0.1:3000`, or a path. */
  address: string;
  speaks: ServerSpeech | undefined;
  scheme: WebScheme | undefined;
}

interface Pending {
  seq: number;
  taken: Promise<Taken>;
  settle(isTaken: Taken): void;
}

const announcedBy = new WeakMap<Child, Map<string, Announced>>();
/** At most one each: what a process does not take stays in its channel, and further ones would pile up. */
const pendingOf = new WeakMap<Child, Pending>();

export class ProbeLines {
  began(child: Child, { key, address, speaks, scheme }: Extract<UpMessage, { type: 'listening' }>): void {
    const announced = announcedBy.get(child) ?? new Map<string, Announced>();
    announcedBy.set(child, announced.set(key, { address: renderOwn(address), speaks, scheme }));
  }

  closed(child: Child, key: string): void {
    announcedBy.get(child)?.delete(key);
  }

  /** The channel is gone, and with it what was on its way. */
  lost(child: Child): void {
    announcedBy.delete(child);
    pendingOf.get(child)?.settle(undefined);
  }

  answered(child: Child, seq: number, isTaken: boolean): void {
    const pending = pendingOf.get(child);
    if (pending?.seq === seq) pending.settle(isTaken);
  }

  /** Where a browser on this machine finds the web servers of the process. */
  urlsOf(child: Child): string[] {
    const all = [...(announcedBy.get(child)?.values() ?? [])].flatMap(({ address, scheme }) =>
      scheme && !address.startsWith('/') ? [`${scheme}://${/^\d+$/.test(address) ? 'localhost:' : ''}${address}`] : [],
    );
    return [...new Set(all)];
  }

  /** Undefined for a process that has not reported its servers: it is being adopted, or has lost its channel. */
  serversOf(child: Child, { port, socket }: ProbedPlace): ProbedServer[] | undefined {
    const announced = announcedBy.get(child);
    return (
      announced &&
      [...announced].flatMap(([key, { address, speaks }]) => (isAt(address, port, socket) ? [{ key, speaks }] : []))
    );
  }

  /**
   * Waits until the process has taken the connection before, if it has not. Undefined if there is no channel. Rejects when
   * `abort` does, or if the machine has no connections left.
   */
  async connect(child: Child, key: string, abort: AbortSignal) {
    for (let before = pendingOf.get(child); before; before = pendingOf.get(child))
      await unlessAborted(before.taken, abort);
    const { promise: taken, resolve } = deferred<Taken>();
    const seq = nextHandOff();
    const settle = (isTaken: Taken) => {
      if (pendingOf.get(child)?.seq === seq) pendingOf.delete(child);
      resolve(isTaken);
    };
    pendingOf.set(child, { seq, taken, settle });
    try {
      const { near, far } = await loopbackPair();
      const message: DownMessage = { cmd: marker, type: 'probe', seq, key };
      if (child.send(message, far, () => far.close())) return { socket: near, taken };
      far.close();
      near.destroy();
      settle(undefined);
      return undefined;
    } catch (error) {
      settle(undefined);
      throw error;
    }
  }
}

/** Settles as `promise` does, or rejects at `abort`. */
export async function unlessAborted<T>(promise: Promise<T>, abort: AbortSignal): Promise<T> {
  let cancel = () => {};
  const aborted = new Promise<never>((_, reject) => {
    const stop = () => reject(abort.reason);
    abort.addEventListener('abort', stop, { once: true });
    cancel = () => abort.removeEventListener('abort', stop);
  });
  try {
    return await Promise.race([promise, aborted]);
  } finally {
    cancel();
  }
}

/** Without a port, the first server that is not for datagrams. */
function isAt(address: string, port: number | undefined, socket: string | undefined): boolean {
  if (socket !== undefined) return address === socket;
  const own = /^(?!udp:).*?(?:^|:)(\d+)$/.exec(address)?.[1];
  return own !== undefined && (port === undefined || Number(own) === port);
}

/**
 * A pair of connected TCP sockets of this machine, and not of Unix sockets, because apps look at the address of their client.
 * Others on this machine can connect to the port too, for the moment in which it is open; they are turned away.
 * `far` is as a server would have accepted it.
 */
export function loopbackPair(): Promise<{ near: Socket; far: Handle }> {
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
