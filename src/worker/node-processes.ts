// Node internals of the processes and threads that an app starts, the same on Node 20 to 26.
import net from 'node:net';
import type { NodeServerHandle } from './node-internals.ts';

/** A child process with an IPC channel. */
export interface Fork {
  pid?: number;
  connected: boolean;
  spawnargs: string[];
  send?(message: object, handle: undefined, options: undefined, done: () => void): boolean;
  on(event: 'internalMessage', heard: (message: unknown) => void): void;
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
    envPairs?.push(`${variable}=1`);
    const errno = spawn.call(this, options);
    this.spawnargs = args;
    if (this.connected) forked(this);
    return errno;
  };
}

export interface ThreadChannel<M> {
  postMessage(message: M): void;
}

/** A channel to all threads of this process. It does not keep the event loop alive. */
export function openThreadChannel<M>(heard: (message: M) => void): ThreadChannel<M> {
  const { BroadcastChannel } = process.getBuiltinModule('node:worker_threads');
  const channel = new BroadcastChannel(`nsv-${process.pid}`);
  channel.onmessage = (event) => heard((event as { data: M }).data);
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
