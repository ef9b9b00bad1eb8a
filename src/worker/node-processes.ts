// Node internals of the processes that an app forks, the same on Node 20 to 26.

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
