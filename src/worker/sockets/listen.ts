// Makes `listen` of the app's servers use the sockets of the group.
//
// Node parses the arguments, reports mistakes in them, looks up host names, and then calls `_listen2`. Only there is
// the socket requested from the daemon instead of the system. Everything after that, including errors, is Node's own
// code.
import { constants } from 'node:os';
import { isAbsolute, resolve } from 'node:path';
import type { BindAddress } from '../../ipc/worker-messages.ts';
import { isConnected } from '../channel.ts';
import {
  ipv6OnlyFlag,
  type Listen2,
  type NodeServer,
  type NodeServerHandle,
  onClose,
  reusePortFlag,
  serverPrototype,
} from '../node-internals.ts';
import { began, isPrivatePath } from '../servers/servers.ts';
import { type BindAnswer, request } from './grants.ts';
import { HandedOver } from './handed-over.ts';
import { portInsteadOf } from './listen-each.ts';
import { Pending } from './pending.ts';

type Listening = Parameters<Listen2>;

/** Servers for which the app wants its own socket. */
const exclusive = new WeakSet<NodeServer>();
const { listen, _listen2: listen2 } = serverPrototype;

export function interceptListen(): void {
  serverPrototype.listen = function (this: NodeServer, ...args: unknown[]) {
    if (wantsOwn(args[0])) exclusive.add(this);
    else exclusive.delete(this);
    if (!this._handle && isHandedOver(args[0])) return listenWith(this, args[0], args.at(-1));
    return Reflect.apply(listen, this, args);
  };
  serverPrototype._listen2 = function (...asked) {
    const args = withPort(asked);
    const place = isConnected() && !this._handle && !exclusive.has(this) ? bindAddressOf(args) : undefined;
    if (place) listenLater(this, place, args);
    else listenNow(this, args);
  };
}

function withPort([address, port, addressType, ...rest]: Listening): Listening {
  const isTcp = typeof port === 'number' && addressType !== -1;
  return [address, isTcp ? portInsteadOf(port) : port, addressType, ...rest];
}

function wantsOwn(options: unknown): boolean {
  if (typeof options !== 'object' || options === null) return false;
  return (
    ('exclusive' in options && Boolean(options.exclusive)) || ('reusePort' in options && options.reusePort === true)
  );
}

function isHandedOver(from: unknown): from is { _handle: HandedOver } {
  return typeof from === 'object' && from !== null && '_handle' in from && from._handle instanceof HandedOver;
}

/** Listens with the handle of another server, which Node allows only for its own handle classes. */
function listenWith(server: NodeServer, { _handle }: { _handle: HandedOver }, callback: unknown): NodeServer {
  if (typeof callback === 'function') server.once('listening', () => callback.call(server));
  server._handle = _handle;
  server._listen2(null, -1, -1);
  return server;
}

/** Undefined if the daemon cannot provide the socket. */
export function bindAddressOf([address, port, addressType, , fd, flags = 0]: Listening): BindAddress | undefined {
  if (typeof fd === 'number' || port === null || (flags & reusePortFlag) !== 0) return undefined;
  if (addressType === -1) return address === null ? undefined : pipe(address);
  const ipv6Only = (flags & ipv6OnlyFlag) !== 0;
  return { kind: 'tcp', port, ...(address !== null && { host: address }), ...(ipv6Only && { ipv6Only }) };
}

/**
 * Makes the path absolute, as the daemon runs in another directory. Undefined if that exceeds the system's limit, and for a socket
 * that other processes have no use for.
 */
function pipe(name: string): BindAddress | undefined {
  const path = isAbsolute(name) || name.startsWith('\0') ? name : resolve(name);
  const longest = process.platform === 'linux' ? 107 : 103;
  return Buffer.byteLength(path) > longest || isPrivatePath(path) ? undefined : { kind: 'pipe', path };
}

function listenNow(server: NodeServer, args: Listening): void {
  listen2.apply(server, args);
  if (server._handle) began(server, server._handle);
}

function listenLater(server: NodeServer, place: BindAddress, args: Listening): void {
  const pending = new Pending(place.port ? { address: place.host ?? '::', port: place.port } : undefined);
  if (server._unref) pending.unref();
  server._handle = pending;
  const takeBack = request<NodeServerHandle>(place, (answer) => {
    pending.release();
    listenOn(server, answer, args, pending.mode);
  });
  onClose(pending, takeBack);
}

function listenOn(server: NodeServer, answer: BindAnswer<NodeServerHandle>, args: Listening, mode: number): void {
  server._handle = answer.type === 'granted' ? answer.handle : null;
  const denied = mode === 0 ? 0 : (server._handle?.fchmod?.(mode) ?? 0);
  if (denied !== 0) server._handle?.close();
  if (answer.type === 'refused') refuse(server, answer.errno, args);
  else if (denied !== 0) refuse(server, denied, args);
  else listenNow(server, args);
}

/** Lets Node fail with the error number, so that the error is exactly Node's own. */
export function refuse(server: NodeServer, errno: number, [address, ...rest]: Listening): void {
  server._handle = { listen: () => errno, close() {}, ref() {}, unref() {} };
  // Node tries :: first, where it learns late that the port is in use, and 0.0.0.0 after any other error.
  const place = address ?? (errno === -constants.errno.EADDRINUSE ? '::' : '0.0.0.0');
  withShortStack(() => listen2.call(server, place, ...rest));
}

/** The answer comes from the daemon, so below Node's own call the stack has calls of nsv alone, which say nothing. */
function withShortStack(job: () => void): void {
  const { stackTraceLimit } = Error;
  // An assignment throws where the app has frozen it.
  Reflect.set(Error, 'stackTraceLimit', 1);
  try {
    job();
  } finally {
    Reflect.set(Error, 'stackTraceLimit', stackTraceLimit);
  }
}
