// Node's private members of its IPC channels, the same on Node 20 to 26.
import { ChildProcess } from 'node:child_process';
import { bySymbol, type HandlePipe, rawHandle } from '../os/sockets/node-handles.ts';

/** One end of a channel: that to a child, or that of this process to its parent. */
type Channelled = ChildProcess | NodeJS.Process;

/** The pipe under a channel. */
export interface ChannelPipe extends HandlePipe {
  readStop(): void;
  close(done?: () => void): void;
  /** Bytes that the other end has not read yet. */
  readonly writeQueueSize?: number;
}

/** Undefined if the channel is closed. */
export function pipeOf(of: Channelled): ChannelPipe | undefined {
  return (bySymbol(of, 'kChannelHandle') as ChannelPipe | null) ?? undefined;
}

/**
 * Makes Node read a channel as before, but decode nothing, so that it finds no messages; `read` gets the bytes instead.
 * Throws TypeError if this version of Node reads in another way.
 */
export function decodeWith(pipe: ChannelPipe, read: (bytes: Uint8Array) => void): void {
  const decoder = Object.getOwnPropertySymbols(pipe).find(({ description }) => description === 'kStringDecoder');
  if (!decoder) throw new TypeError(`Node ${process.version} reads its channels in a way that nsv does not know`);
  const write = (bytes: Uint8Array) => {
    read(bytes);
    return '';
  };
  Reflect.set(pipe, decoder, { write });
}

/** Number of handles that wait for the receipt of a handle that was sent, with it. Undefined if there is none. */
export function sentHandles(of: Channelled): number | undefined {
  const queue: unknown = Reflect.get(of, '_handleQueue');
  return Array.isArray(queue) ? queue.length : undefined;
}

/** Waits for no receipt any more. */
export function forgetSentHandles(child: ChildProcess): void {
  Reflect.set(child, '_handleQueue', null);
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
  const launcher = rawHandle(child) as unknown as { spawn(): number };
  const options: Spawning = { file: '', stdio: ['ignore', 'ignore', 'ignore', 'ipc'] };
  launcher.spawn = () => {
    for (const stream of options.stdio) if (typeof stream === 'object' && stream.ipc) stream.handle?.open(fd);
    return 0;
  };
  child.spawn(options);
  child.on('error', () => {});
  reportEveryEnd(child);
  return child;
}

/**
 * Makes Node report the end of a channel at once. While it waits for the receipt of a sent handle it holds 'disconnect'
 * back, and a dead peer never sends one. For a child the exit event is enough, but other processes have none.
 */
function reportEveryEnd(child: ChildProcess): void {
  const { disconnect } = child;
  child.disconnect = () => {
    forgetSentHandles(child);
    disconnect.call(child);
  };
}
