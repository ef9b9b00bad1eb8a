// Answers a package that looks for a free port, and any other code that asks whether somebody listens on the port of the app.
//
// A socket of the group is not taken for its own processes: they share it. So a package that connects is refused. Other code reaches
// the processes that listen there; if there is none, it is refused, as it would only wait for this very process.
import type { Socket } from 'node:net';
import { constants, networkInterfaces } from 'node:os';
import type { DownMessage, TcpAddress } from '../../ipc/worker-messages.ts';
import type { OutgoingMessage } from '../channel.ts';
import { KeepAlive } from '../keep-alive.ts';
import { type ConnectingHandle, type ConnectRequest, onClose, ownerOf } from '../node-sockets.ts';

const { nextTick } = process;

interface Terms {
  /** What the handles of sockets inherit from. */
  tcp: ConnectingHandle;
  /** Whether the app has a socket at this port, or may have. */
  isOurs(port: number): boolean;
  send(message: OutgoingMessage): void;
  /** Whether there is a daemon. */
  canAsk(): boolean;
  /** Calls `gone` when the daemon is not there any more; the returned function unsubscribes. */
  onceGone(gone: () => void): () => void;
  /** Whether the process is young enough for any of this. */
  isBooting(): boolean;
}

export interface PortChecks {
  /** Call it before the socket connects. `isCheck`: a package wants to know whether the port is free. */
  note(of: Socket, isCheck: boolean): void;
  onChecked(message: Extract<DownMessage, { type: 'port-checked' }>): void;
}

/** Undefined without a daemon: then there is nobody to share with. */
type Answer = Extract<DownMessage, { type: 'port-checked' }> | undefined;

export function createPortChecks({ tcp, isOurs, send, canAsk, onceGone, isBooting }: Terms): PortChecks {
  const checks = new WeakSet<object>();
  const waiting = new Map<number, (answer: Answer) => void>();
  let lastSeq = 0;

  function ask(place: TcpAddress, answered: (answer: Answer) => void): void {
    const keepAlive = new KeepAlive();
    lastSeq += 1;
    const seq = lastSeq;
    const settle = (answer: Answer) => {
      if (!waiting.delete(seq)) return;
      forget();
      keepAlive.release();
      answered(answer);
    };
    waiting.set(seq, settle);
    const forget = onceGone(() => settle(undefined));
    if (canAsk()) send({ type: 'check-port', seq, ...place });
    else nextTick(settle, undefined);
  }

  function connectLater(
    handle: ConnectingHandle,
    request: ConnectRequest,
    place: { host: string; port: number },
    connect: () => number,
  ): number {
    const owner = ownerOf(handle);
    const isCheck = owner !== undefined && checks.has(owner);
    if (!isBooting() || !(isCheck || isOurs(place.port)) || !isOnThisMachine(place.host)) return connect();
    let isClosed = false;
    onClose(handle, () => {
      isClosed = true;
    });
    ask(place, (answer) => {
      if (isClosed) return;
      const { holding = 'nobody' } = answer ?? {};
      const isRefused = isCheck ? holding !== 'nobody' : holding === 'idle';
      const errno = isRefused ? -constants.errno.ECONNREFUSED : connect();
      if (errno !== 0) request.oncomplete(errno, handle, request, false, false);
    });
    return 0;
  }

  const { connect, connect6 } = tcp;
  tcp.connect = function (request, ip, port) {
    return connectLater(this, request, { host: ip, port }, () => connect.call(this, request, ip, port));
  };
  tcp.connect6 = function (request, ip, port) {
    return connectLater(this, request, { host: ip, port }, () => connect6.call(this, request, ip, port));
  };

  return {
    note(of, isCheck) {
      if (isCheck) checks.add(of);
      else checks.delete(of);
    },
    onChecked: (answer) => waiting.get(answer.seq)?.(answer),
  };
}

function isOnThisMachine(ip: string): boolean {
  if (/^127\.|^::1?$|^0\.0\.0\.0$/.test(ip)) return true;
  return Object.values(networkInterfaces()).some((addresses) => addresses?.some(({ address }) => address === ip));
}
