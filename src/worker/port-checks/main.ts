// Answers a package that looks for a free port, and any other code that asks whether somebody listens on the port of the app.
//
// A socket of the group is not taken for its own processes: they share it. So a package that listens on its address for a moment
// succeeds, and one that connects is refused. Other code reaches the processes that listen there; if there is none, it is refused,
// as it would only wait for this very process.
import type { Socket } from 'node:net';
import { constants, networkInterfaces } from 'node:os';
import type { BindAddress, DownMessage, TcpAddress } from '../../ipc/worker-messages.ts';
import type { OutgoingMessage } from '../channel.ts';
import { KeepAlive } from '../keep-alive.ts';
import {
  type ConnectingHandle,
  type ConnectRequest,
  handleIn,
  type Listen2,
  type NodeServer,
  onClose,
  ownerOf,
  replaceListen2,
  setHandle,
} from '../node-sockets.ts';
import { Pending } from '../sockets/pending.ts';

const { nextTick } = process;

interface Terms {
  /** What the handles of sockets inherit from. */
  tcp: ConnectingHandle;
  /** The TCP ports of the sockets that the group had when the process was started. */
  held: readonly number[];
  placeOf(args: Parameters<Listen2>): BindAddress | undefined;
  refuse(server: NodeServer, errno: number, args: Parameters<Listen2>): void;
  send(message: OutgoingMessage): void;
  /** Whether there is a daemon. */
  canAsk(): boolean;
  /** Calls `gone` when the daemon is not there any more; the returned function unsubscribes. */
  onceGone(gone: () => void): () => void;
  /** Whether the process is young enough for any of this. */
  isBooting(): boolean;
}

export interface PortChecks {
  /** Call it before the server listens, or the socket connects. `isCheck`: a package wants to know whether the port is free. */
  note(of: NodeServer | Socket, isCheck: boolean): void;
  onChecked(message: Extract<DownMessage, { type: 'port-checked' }>): void;
}

/** Undefined without a daemon: then there is nobody to share with. */
type Answer = Extract<DownMessage, { type: 'port-checked' }> | undefined;

export function createPortChecks({ tcp, held, placeOf, refuse, send, canAsk, onceGone, isBooting }: Terms): PortChecks {
  const checks = new WeakSet<object>();
  const waiting = new Map<number, (answer: Answer) => void>();
  const ours = new Set(held);
  let lastSeq = 0;

  function ask(place: TcpAddress, toListen: boolean, answered: (answer: Answer) => void): void {
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
    if (canAsk()) send({ type: 'check-port', seq, toListen, ...place });
    else nextTick(settle, undefined);
  }

  /** As if the server listened, until it is closed: no other process of the group is in its way, nor it in theirs. */
  function pretend(server: NodeServer, place: TcpAddress, args: Parameters<Listen2>): void {
    const pending = new Pending({ address: place.host ?? '::', port: place.port });
    setHandle(server, pending);
    ask(place, true, (answer) => {
      if (handleIn(server) !== pending) return;
      if (answer?.errno === 0) {
        server.emit('listening');
        return;
      }
      setHandle(server, null);
      pending.release();
      if (answer) refuse(server, answer.errno, args);
      else listen2.apply(server, args);
    });
  }

  const listen2 = replaceListen2(function (...args) {
    const { kind, port = 0, ...rest } = placeOf(args) ?? { kind: 'none' };
    if (kind === 'tcp' && port > 0 && !handleIn(this) && checks.has(this)) pretend(this, { ...rest, port }, args);
    else {
      ours.delete(port);
      listen2.apply(this, args);
    }
  });

  function connectLater(
    handle: ConnectingHandle,
    request: ConnectRequest,
    place: { host: string; port: number },
    connect: () => number,
  ): number {
    const owner = ownerOf(handle);
    const isCheck = owner !== undefined && checks.has(owner);
    if (!isBooting() || !(isCheck || ours.has(place.port)) || !isOnThisMachine(place.host)) return connect();
    let isClosed = false;
    onClose(handle, () => {
      isClosed = true;
    });
    ask(place, false, (answer) => {
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
