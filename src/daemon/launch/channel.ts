// Node's IPC channel to a process, whether or not this daemon started it.
import { ChildProcess } from 'node:child_process';
import type { Child } from './launcher.ts';

export function sender(child: ChildProcess): Child['send'] {
  return (message, handle, done = () => {}) => {
    if (!child.connected) return false;
    // Node's types do not list raw handles. Without a callback, a failed write would be an 'error' event.
    child.send(message, handle as Parameters<ChildProcess['send']>[1], done);
    return true;
  };
}

interface Spawning {
  file: string;
  stdio: (string | { ipc?: boolean; handle?: { open(fd: number): void } })[];
}

/**
 * Creates a channel on a connected Unix socket. Only Node itself can create one, and only for a child, so this makes it
 * believe that it spawns one. Works the same on Node 20 to 26.
 */
export function channelOn(fd: number): ChildProcess {
  const child = new (ChildProcess as unknown as new () => ChildProcess & { spawn(options: Spawning): number })();
  const { _handle: launcher } = child as unknown as { _handle: { spawn(): number; pid?: number } };
  const options: Spawning = { file: '', stdio: ['ignore', 'ignore', 'ignore', 'ipc'] };
  launcher.spawn = () => {
    for (const stream of options.stdio) if (typeof stream === 'object' && stream.ipc) stream.handle?.open(fd);
    return 0;
  };
  child.spawn(options);
  child.on('error', () => {});
  tellEveryEnd(child);
  return child;
}

/**
 * Makes Node report the end of a channel at once. While it waits for the receipt of a sent handle it holds 'disconnect'
 * back, and a dead peer never sends one. For a child the exit event is enough, but other processes have none.
 */
function tellEveryEnd(child: ChildProcess): void {
  const { disconnect } = child;
  child.disconnect = () => {
    Reflect.set(child, '_handleQueue', null);
    disconnect.call(child);
  };
}
