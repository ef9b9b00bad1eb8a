// Node's private members of a process, and of the processes and threads that it starts, the same on Node 20 to 26.
import type cluster from 'node:cluster';
import net from 'node:net';
import type { Listen2, NodeServerHandle } from './node-sockets.ts';

type Listening = Parameters<Listen2>;

/** A child process with an IPC channel. */
export interface Fork {
  pid?: number;
  connected: boolean;
  spawnargs: string[];
  send?(message: object, handle: undefined, options: undefined, done: () => void): boolean;
  on(event: 'internalMessage', listener: (message: unknown) => void): void;
  once(event: 'exit' | 'disconnect', gone: () => void): void;
}

interface Spawning {
  file: string;
  args?: string[];
  envPairs?: string[];
}

/** Saved, because an app may replace it. */
const { execPath } = process;

/** By this Node tells a process that it is the worker of a cluster. */
const idVariable = 'NODE_UNIQUE_ID=';

/**
 * Loads `preload` into workers that the app forks with `node:cluster`, with `variable` set; calls `forked` with each. The
 * app does not see it: neither in its own settings nor in those of the worker.
 */
export function watchClusterForks(preload: string, variable: string, forked: (fork: Fork) => void): void {
  const { ChildProcess } = process.getBuiltinModule('node:child_process');
  const prototype = ChildProcess.prototype as unknown as { spawn(this: Fork, options: Spawning): number };
  const { spawn } = prototype;
  prototype.spawn = function (options) {
    const { file, args, envPairs } = options;
    const isWorker = file === execPath && envPairs?.some((pair) => pair.startsWith(idVariable));
    if (!isWorker || !args) return spawn.call(this, options);
    options.args = [args[0] ?? file, '--require', preload, ...args.slice(1)];
    envPairs?.push(`${variable}=${policyOfCluster()}`);
    const errno = spawn.call(this, options);
    this.spawnargs = args;
    if (this.connected) forked(this);
    return errno;
  };
}

/** Whether it is the message by which a worker of a cluster asks the primary for a socket. */
export function asksForSocket(message: unknown): boolean {
  return typeof message === 'object' && message !== null && 'act' in message && message.act === 'queryServer';
}

/** The policy of a cluster whose workers accept by themselves (`cluster.SCHED_NONE`). */
export const sharedPolicy = 'none';

function policyOfCluster(): string {
  const { schedulingPolicy, SCHED_NONE } = process.getBuiltinModule('node:cluster') as unknown as typeof cluster;
  return schedulingPolicy === SCHED_NONE ? sharedPolicy : 'rr';
}

/** What a worker asks the primary for. */
interface ServerQuery {
  address: string | null;
  port: number;
  /** A text for a datagram socket. */
  addressType: number | string;
  fd: number;
  flags: number;
}

/** Calls `before` when a worker of a cluster is about to ask the primary for a socket, which it does in `proceed`. */
export function interceptGetServer(before: (query: ServerQuery, proceed: () => void) => void): void {
  type Asking = [server: unknown, query: ServerQuery, done: unknown];
  const cluster = process.getBuiltinModule('node:cluster') as unknown as { _getServer(...asking: Asking): void };
  const { _getServer: getServer } = cluster;
  cluster._getServer = (...asking) => before(asking[1], () => getServer.apply(cluster, asking));
}

/** Lets the primary of a cluster use what `take` returns, a handle or an error number, instead of binding by itself. */
export function interceptCreate(take: (...args: Listening) => NodeServerHandle | number | undefined): void {
  const host = net as unknown as { _createServerHandle(...args: unknown[]): NodeServerHandle | number };
  const { _createServerHandle: create } = host;
  host._createServerHandle = (...args) => {
    const [address, port, addressType, fd, flags] = args as [string | null, number, number, number, number];
    return take(address, port, addressType, 0, fd >= 0 ? fd : undefined, flags) ?? create.apply(host, args);
  };
}

/** What Node calls with an uncaught error. It ends the process if this returns false. */
export type FatalException = (this: typeof process, error: unknown, fromPromise: boolean) => boolean;

type FatalHost = typeof process & { _fatalException?: FatalException };

export function fatalException(): FatalException | undefined {
  return (process as FatalHost)._fatalException;
}

/** Whether a handler of the app takes uncaught errors. */
export function isTakenByApp(): boolean {
  return process.listenerCount('uncaughtException') > 0 || process.hasUncaughtExceptionCaptureCallback();
}

/** Calls `get` whenever Node looks for its `fatalException`. An app may still replace it. */
export function interceptFatalException(get: () => FatalException): void {
  const set = (value: FatalException) =>
    void Object.defineProperty(process, '_fatalException', { value, writable: true });
  Object.defineProperty(process, '_fatalException', { get, set, configurable: true });
}

export interface ThreadChannel<M> {
  postMessage(message: M): void;
}

/** A channel to all threads of this process. It does not keep the event loop alive. */
export function openThreadChannel<M>(listener: (message: M) => void): ThreadChannel<M> {
  const { BroadcastChannel } = process.getBuiltinModule('node:worker_threads');
  const channel = new BroadcastChannel(`nsv-${process.pid}`);
  channel.onmessage = (event) => listener((event as { data: M }).data);
  channel.unref();
  return channel as ThreadChannel<M>;
}

export function isThread(): boolean {
  return !process.getBuiltinModule('node:worker_threads').isMainThread;
}

export function threadId(): number {
  return process.getBuiltinModule('node:worker_threads').threadId;
}

type CreateServerHandle = (address: null, port: null, type: null, fd: number) => NodeServerHandle | number;

const { _createServerHandle: createServerHandle } = net as typeof net & { _createServerHandle: CreateServerHandle };

/** Opens a bound socket; undefined if the descriptor is none. */
export function handleOfDescriptor(fd: number): NodeServerHandle | undefined {
  const handle = createServerHandle(null, null, null, fd);
  return typeof handle === 'number' ? undefined : handle;
}
