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
  handleIn,
  ipv6OnlyFlag,
  isUnref,
  type Listen2,
  listen2,
  listenOnHandle,
  type NodeServer,
  type NodeServerHandle,
  onClose,
  replaceListen2,
  reusePortFlag,
  serverPrototype,
  setHandle,
  takeOver,
} from '../node-sockets.ts';
import { began, isPrivatePath } from '../servers/servers.ts';
import { leaveQueue } from './accept-queue.ts';
import { type BindAnswer, request } from './grants.ts';
import { HandedOver } from './handed-over.ts';
import { portInsteadOf } from './listen-each.ts';
import { Pending } from './pending.ts';
import { addOwnPort } from './port-checkers.ts';

type Listening = Parameters<Listen2>;
type Granted = Extract<BindAnswer<NodeServerHandle>, { type: 'granted' }>;

/** Saved, because an app may replace it, for example with fake timers. */
const { setTimeout } = globalThis;

/** Milliseconds for which a server that only tests a port is open. */
const longestTest = 100;

/** Servers for which the app wants its own socket. */
const exclusive = new WeakSet<NodeServer>();
const { listen } = serverPrototype;

export function interceptListen(): void {
  serverPrototype.listen = function (this: NodeServer, ...args: unknown[]) {
    if (wantsOwn(args[0])) exclusive.add(this);
    else exclusive.delete(this);
    const given = handleIn(this) ? undefined : handedOverBy(args[0]);
    if (given) return listenWith(this, given, args.at(-1));
    return Reflect.apply(listen, this, args);
  };
  replaceListen2(function (...asked) {
    const args = withPort(asked);
    const place = isConnected() && !handleIn(this) && !exclusive.has(this) ? bindAddressOf(args) : undefined;
    if (place) listenLater(this, place, args);
    else listenNow(this, args);
  });
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

/** Undefined unless `from` is a server that the daemon hands connections to. */
function handedOverBy(from: unknown): HandedOver | undefined {
  const handle = typeof from === 'object' && from ? handleIn(from as NodeServer) : undefined;
  return handle instanceof HandedOver ? handle : undefined;
}

/** Listens with the handle of another server, which Node allows only for its own handle classes. */
function listenWith(server: NodeServer, handle: HandedOver, callback: unknown): NodeServer {
  if (typeof callback === 'function') server.once('listening', () => callback.call(server));
  setHandle(server, handle);
  listenOnHandle(server);
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

function listenNow(server: NodeServer, args: Listening, isOut = false): void {
  listen2.apply(server, args);
  const handle = handleIn(server);
  if (!handle) return;
  began(server, handle);
  if (isOut) leaveQueue(handle);
}

function listenLater(server: NodeServer, place: BindAddress, args: Listening): void {
  if (place.port) addOwnPort(place.port);
  const pending = new Pending(place.port ? { address: place.host ?? '::', port: place.port } : undefined);
  if (isUnref(server)) pending.unref();
  setHandle(server, pending);
  const answered = (answer: BindAnswer<NodeServerHandle>) => {
    pending.release();
    listenOn(server, answer, args, pending.mode);
  };
  const inOwnWay = () => pretend(server, pending, place, args);
  onClose(pending, request<NodeServerHandle>(place, answered, place.kind === 'tcp' ? { inOwnWay } : {}));
}

/**
 * Only other sockets of the app are in the way. Some programs listen for a moment to see whether their port is free (Vite does), and to
 * this app it is. So the app is told at once that its server listens, and the server gets a socket if it is still open afterwards. That
 * socket may replace another, whose clients are cut off.
 */
function pretend(server: NodeServer, pending: Pending, place: BindAddress, args: Listening): void {
  listen2.apply(server, args);
  setTimeout(() => {
    if (handleIn(server) !== pending) return;
    const takeBack = request<NodeServerHandle>(place, (answer) => {
      pending.release();
      if (answer.type === 'granted') continueWith(server, pending, answer, args);
      else listenOn(server, answer, args, pending.mode);
    });
    onClose(pending, takeBack);
  }, longestTest);
}

/** The app knows already that the server listens. */
function continueWith(server: NodeServer, pending: Pending, { handle, isOut }: Granted, args: Listening): void {
  takeOver(pending, handle);
  setHandle(server, handle);
  if (isUnref(server)) handle.unref();
  const errno = handle.listen(pending.backlog);
  if (errno !== 0) {
    handle.close();
    refuse(server, errno, args);
    return;
  }
  began(server, handle);
  if (isOut) leaveQueue(handle);
}

function listenOn(server: NodeServer, answer: BindAnswer<NodeServerHandle>, args: Listening, mode: number): void {
  const handle = answer.type === 'granted' ? answer.handle : null;
  setHandle(server, handle);
  const denied = mode === 0 ? 0 : (handle?.fchmod?.(mode) ?? 0);
  if (denied !== 0) handle?.close();
  if (answer.type === 'refused') refuse(server, answer.errno, args);
  else if (denied !== 0) refuse(server, denied, args);
  else listenNow(server, args, answer.type === 'granted' && answer.isOut);
}

/** Lets Node fail with the error number, so that the error is exactly Node's own. */
export function refuse(server: NodeServer, errno: number, [address, ...rest]: Listening): void {
  setHandle(server, { listen: () => errno, close() {}, ref() {}, unref() {} });
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
