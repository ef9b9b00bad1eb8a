// Tells the daemon what keeps the process alive after the app's handler of the stop signal has had its turn. Otherwise nobody
// would learn why it is killed: a handler may wait for an answer of somebody who is not there, and try again for ever.
import { send } from '../channel.ts';
import { afterReading, hasServed, isServedOut } from '../drain.ts';
import { activeResources } from '../insight/resources.ts';
import { connectionsToOthers } from '../node-http.ts';

/** Saved, because an app may replace them, for example with fake timers. */
const { clearInterval } = globalThis;
const { getBuiltinModule } = process;

/** A second, and longer on an overloaded machine: handlers that clean up and exit are done by then. */
const afterLooks = 20;
/** Addresses that are told. */
const most = 5;

/** Call it when the handler is about to begin. Nothing is told if the process ends within a second. */
export function watchRemaining(): void {
  const failed = watchFailedConnections();
  let looks = 0;
  const timer = afterReading(() => {
    looks += 1;
    if (looks < afterLooks) return;
    const isFree = isServedOut();
    if (isFree || looks === afterLooks) {
      const connected = [...new Set(connectionsToOthers().map(nameOf))].slice(0, most);
      send({ type: 'remaining', isFree, waitsFor: activeResources(), connected, failed: [...failed] });
    }
    if (isFree || !hasServed()) clearInterval(timer);
  });
  timer.unref();
}

/** Returns a set to which the addresses are added that the app cannot connect to from now on. */
function watchFailedConnections(): Set<string> {
  const failed = new Set<string>();
  // Not imported: only a process that is about to end needs them.
  const { subscribe } = getBuiltinModule('node:diagnostics_channel');
  const { errorMonitor } = getBuiltinModule('node:events');
  subscribe('net.client.socket', (message) => {
    const { socket } = message as { socket: NodeJS.EventEmitter };
    // A usual listener would take the error from an app that has none.
    socket.once(errorMonitor, (error: ConnectError) => {
      const name = nameOfFailed(error);
      if (name !== undefined && failed.size < most) failed.add(name);
    });
  });
  return failed;
}

/** With several addresses of a host, one for each of them. */
type ConnectError = NodeJS.ErrnoException & {
  errors?: ConnectError[];
  address?: string;
  port?: number;
  hostname?: string;
};

/** `127.0.0.1:4318 (ECONNREFUSED)`; undefined for errors after the connection was made. */
function nameOfFailed(error: ConnectError): string | undefined {
  const { syscall, code, address, port, hostname } = error.errors?.[0] ?? error;
  if (syscall !== 'connect' && syscall !== 'getaddrinfo') return undefined;
  return `${nameOf({ address: address ?? hostname, port })} (${code})`;
}

function nameOf({ address = '', port }: { address?: string | undefined; port?: number | undefined }): string {
  if (port === undefined) return address;
  return address.includes(':') ? `[${address}]:${port}` : `${address}:${port}`;
}
