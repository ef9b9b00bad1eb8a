// Node's private members of the IPC channel, the same on Node 20 to 26.
import { Socket } from 'node:net';
import type { StringDecoder } from 'node:string_decoder';
import { hidden } from './node-sockets.ts';

/** A write request, as Node creates one for each message. */
export interface IpcWrite {
  oncomplete?: (status: number) => void;
}

/** The pipe under an IPC channel. It can carry descriptors. */
export interface IpcPipe {
  /** Returns 0, or a negative error number. */
  writeUtf8String(write: IpcWrite, text: string, handle: unknown): number;
  ref(): void;
  unref(): void;
  close(done?: () => void): void;
  /** Bytes waiting to be written. */
  readonly writeQueueSize?: number;
  readStart?(): number;
  /** Called without bytes at the end of the stream. */
  onread?: (this: IpcPipe, bytes: ArrayBuffer | undefined) => void;
  /** The handle received along with the bytes. */
  pendingHandle?: unknown;
}

type ChannelPipe = IpcPipe & Required<Pick<IpcPipe, 'onread'>> & { buffering?: boolean };

/** The IPC pipe of this process; undefined if it has none. */
export function channelPipe(): ChannelPipe | undefined {
  return (hidden(process, 'kChannelHandle') as ChannelPipe | null) ?? undefined;
}

/** Drops a partial message and unacknowledged handles, because the dead peer will not complete them. */
export function forgetHalf(pipe: ChannelPipe): void {
  for (const symbol of Object.getOwnPropertySymbols(pipe)) {
    if (symbol.description === 'kJSONBuffer') Reflect.set(pipe, symbol, '');
    if (symbol.description === 'kStringDecoder') Reflect.set(pipe, symbol, undefined);
  }
  pipe.buffering = false;
  pipe.pendingHandle = null;
  acknowledgeHandle();
}

/** Takes over a partial message from Node. */
export function takeHalf(pipe: IpcPipe): { text: string; decoder: StringDecoder | undefined } {
  const half = {
    text: (hidden(pipe, 'kJSONBuffer') as string | undefined) ?? '',
    decoder: hidden(pipe, 'kStringDecoder') as StringDecoder | undefined,
  };
  // Node waits for the end of the message before it disconnects.
  (pipe as ChannelPipe).buffering = false;
  return half;
}

/** Calls `left` when Node closes the channel, before it does. */
export function watchDisconnect(left: () => void): void {
  const host = process as typeof process & { _disconnect?: () => void };
  const { _disconnect: disconnect } = host;
  if (!disconnect) return;
  host._disconnect = () => {
    left();
    disconnect.call(host);
  };
}

/** The class of write requests, which Node keeps to itself. */
export function writeRequestOf(pipe: IpcPipe): (new () => IpcWrite) | undefined {
  const host = process as typeof process & { _send?: (message: object, handle: null, swallowErrors: true) => boolean };
  const { writeUtf8String } = pipe;
  let request: IpcWrite | undefined;
  pipe.writeUtf8String = (write) => {
    request = write;
    return -1;
  };
  try {
    host._send?.({ cmd: 'NODE_HANDLE_ACK' }, null, true);
  } finally {
    pipe.writeUtf8String = writeUtf8String;
  }
  return request?.constructor as (new () => IpcWrite) | undefined;
}

/** Makes Node send what it holds back until the receipt for a handle, if it waits for one. */
export function acknowledgeHandle(): void {
  const { _handleQueue: queue } = process as typeof process & { _handleQueue?: unknown[] | null };
  if (queue) process.emit('internalMessage' as 'message', { cmd: 'NODE_HANDLE_ACK' }, undefined);
}

/** libuv's type of a pipe that can carry descriptors. */
const ipcType = 2;
const { connect } = Socket.prototype;

/** Connects a pipe of the same class to a Unix socket; calls `done` without a pipe if that fails. */
export function openIpcPipe(path: string, like: IpcPipe, done: (pipe?: IpcPipe) => void): void {
  const handle = new (like.constructor as new (type: number) => IpcPipe)(ipcType);
  // Only Node's Socket class can connect a pipe.
  const options = { handle, manualStart: true };
  const socket = new Socket(options as ConstructorParameters<typeof Socket>[0]);
  socket.pause();
  socket.unref();
  socket.once('error', () => done());
  socket.once('connect', () => {
    // Takes the handle from the socket.
    Reflect.set(socket, '_handle', null);
    done(handle);
  });
  connect.call(socket, path);
}
