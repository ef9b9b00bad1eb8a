// Notices packages that look for a free port. To them, the socket of the app's own group would be one that is taken, and they would
// have the app listen elsewhere. What answers them is a bundle of its own (worker/port-checks), which is loaded with the first of them.
import { Socket } from 'node:net';
import { join } from 'node:path';
import type { DownMessage } from '../../ipc/worker-messages.ts';
import { isConnected, isWithoutDaemon, onceLost, onDaemonLost, send } from '../channel.ts';
import { tcpPrototype } from '../node-sockets.ts';
import type { PortChecks } from '../port-checks/main.ts';
import { isOutside } from './accept-queue.ts';

const { getBuiltinModule, uptime } = process;

/** Some connect to the port; for others, which listen there for a moment, see listen.ts. */
const checkers =
  /[\\/]node_modules[\\/](?:check-port|detect-port(?:-alt)?|find-free-ports?|find-open-port|free-?port|get-port(?:-please)?|is-port-(?:available|free|reachable|used)|openport|port-available|portfinder|portscanner|tcp-port-used)[\\/]/;

/** Frames of a stack: those of Node's own calls come first. */
const depth = 20;
/** Seconds. Later than that, no app looks for its port. */
const longest = 60;

let checks: PortChecks | undefined;
let isWatching = false;

/** The TCP ports of the sockets that the app had when the process was started, and of those that the process has asked for. */
const ours = new Set<number>();

/** The process asks for a socket at this port. */
export function addOwnPort(port: number): void {
  ours.add(port);
}

/** `held`: the TCP ports of the sockets that the app has. */
export function watchForPortCheckers(held: readonly number[]): void {
  for (const port of held) ours.add(port);
  if (isWatching) return;
  isWatching = true;
  const { connect } = Socket.prototype;
  const watched = function (this: Socket, ...args: unknown[]) {
    if (!isBooting()) unwatch();
    else {
      const isCheck = isCalledByChecker();
      if (isCheck || ours.has(portOf(args))) {
        checks ??= load(connect);
        checks.note(this, isCheck);
      }
    }
    return Reflect.apply(connect, this, args) as Socket;
  };
  Socket.prototype.connect = watched;
  const unwatch = () => {
    if (Socket.prototype.connect === watched) Socket.prototype.connect = connect;
  };
}

export function onPortChecked(message: Extract<DownMessage, { type: 'port-checked' }>): void {
  checks?.onChecked(message);
}

/** `connect(3000)`, `connect({ port: 3000 })`, or as `net.connect` passes them on: `connect([{ port: 3000 }])`. */
function portOf([first]: unknown[]): number {
  const where: unknown = Array.isArray(first) ? first[0] : first;
  return Number(typeof where === 'object' && where !== null && 'port' in where ? where.port : where);
}

/** Whether the app may still look for its port, or connect to a server from which it accepts nothing yet. */
function isBooting(): boolean {
  return uptime() < longest || isOutside();
}

function isCalledByChecker(): boolean {
  const { stackTraceLimit, prepareStackTrace } = Error;
  const calls: { stack?: unknown } = {};
  // An assignment throws where the app has frozen it.
  Reflect.set(Error, 'stackTraceLimit', depth);
  Reflect.set(Error, 'prepareStackTrace', isOfChecker);
  try {
    Error.captureStackTrace(calls);
    return calls.stack === true;
  } finally {
    Reflect.set(Error, 'stackTraceLimit', stackTraceLimit);
    Reflect.set(Error, 'prepareStackTrace', prepareStackTrace);
  }
}

function isOfChecker(_: unknown, calls: NodeJS.CallSite[]): boolean {
  return calls.some((call) => checkers.test(call.getFileName() ?? ''));
}

/** `connect`: Node's own. */
function load(connect: Socket['connect']): PortChecks {
  const require = getBuiltinModule('node:module').createRequire(join(import.meta.dirname, 'preload.js'));
  const { createPortChecks } = require('./port-checks/main.js') as typeof import('../port-checks/main.ts');
  return createPortChecks({
    ...{ tcp: tcpPrototype(connect), isOurs: (port: number) => ours.has(port), send },
    canAsk: () => isConnected() && !isWithoutDaemon(),
    onceGone(gone) {
      const forget = [onDaemonLost(gone), onceLost(gone)];
      return () => {
        for (const each of forget) each();
      };
    },
    isBooting,
  });
}
