// Makes `bind` of the app's UDP sockets use the sockets of the group.
//
// Clients bind port 0 to receive their own responses, so these sockets stay with Node, as do sockets that share a port
// with other programs (`reuseAddr`, `reusePort`).
import type { Socket } from 'node:dgram';
import type { BindAddress } from '../../ipc/worker-messages.ts';
import { isConnected } from '../channel.ts';
import { KeepAlive } from '../keep-alive.ts';
import { onClose, takeOver, type UdpHandle, type UdpState, udpPrototype, udpStateOf } from '../node-sockets.ts';
import { reportListening } from '../servers/servers.ts';
import { request } from './grants.ts';
import { handleKeyOf } from './handles.ts';

export function interceptBind(): void {
  const { bind } = udpPrototype;
  udpPrototype.bind = function (this: Socket, ...args: unknown[]) {
    const state = udpStateOf(this);
    const handle = state?.handle;
    const port = isConnected() ? sharedPort(args[0], state) : undefined;
    if (!state || !handle || port === undefined) return Reflect.apply(bind, this, args);
    // Node calls `lookup` before `bind` returns, and continues when `lookup` calls back.
    const { lookup } = handle;
    handle.lookup = (host, done) =>
      lookup(host, (error, ip) => {
        if (error || !ip) done(error, ip);
        else bindLater(state, handle, placeOf(this, state, ip, port), () => done(null, ip));
      });
    try {
      return Reflect.apply(bind, this, args);
    } finally {
      handle.lookup = lookup;
    }
  };
}

/** The port to share with other instances; undefined if the socket is to be the app's own. */
function sharedPort(first: unknown, state: UdpState | undefined): number | undefined {
  const isObject = typeof first === 'object' && first !== null;
  const { port, exclusive, fd, recvStart } = (isObject ? first : { port: first }) as Record<string, unknown>;
  const isOwn = exclusive || fd || recvStart || state?.reuseAddr || state?.reusePort;
  return !isOwn && Number.isInteger(port) && Number(port) > 0 && Number(port) < 65_536 ? Number(port) : undefined;
}

function placeOf(socket: Socket, { ipv6Only }: UdpState, host: string, port: number): BindAddress {
  const { type: kind } = socket as Socket & { type: 'udp4' | 'udp6' };
  return { kind, host, port, ...(ipv6Only && { ipv6Only }) };
}

/** `bindNow` makes Node bind the address. Before that, the handle is replaced with the one the daemon has bound. */
function bindLater(state: UdpState, handle: UdpHandle, place: BindAddress, bindNow: () => void): void {
  const keepAlive = new KeepAlive();
  const takeBack = request<UdpHandle>(place, (answer) => {
    keepAlive.release();
    if (answer.type === 'lost') bindNow();
    else if (answer.type === 'refused') bindAs(handle, answer.errno, bindNow);
    else {
      replace(state, handle, answer.handle);
      bindAs(answer.handle, 0, bindNow);
      reportListening(answer.handle, handleKeyOf(answer.handle) ?? '', `${place.host}:${place.port}`);
    }
  });
  onClose(handle, () => {
    keepAlive.release();
    takeBack();
  });
}

function replace(state: UdpState, old: UdpHandle, handle: UdpHandle): void {
  takeOver(old, handle);
  state.handle = handle;
  old.close();
}

/** Calls `bindNow` while `bind` of the handle returns the daemon's result. */
function bindAs(handle: UdpHandle, errno: number, bindNow: () => void): void {
  const { bind } = handle;
  handle.bind = () => errno;
  try {
    bindNow();
  } finally {
    handle.bind = bind;
  }
}
