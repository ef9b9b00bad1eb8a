// Keeps the channel to the daemon after the app has called `process.disconnect()`. Node and the app see it closed:
// `process.connected` is false, 'disconnect' is emitted, and nothing keeps the event loop alive. The preload goes on
// using the pipe, because the process still shares sockets and has to drain at a stop.
import { StringDecoder } from 'node:string_decoder';
import { type DownMessage, marker } from '../ipc/worker-messages.ts';
import { channelPipe, type IpcPipe, type IpcWrite, takeHalf, watchDisconnect, writeRequestOf } from './node-channel.ts';
import type { NodeHandle } from './node-sockets.ts';

export interface LinkEvents {
  onMessage(message: DownMessage, handle?: NodeHandle): void;
  /** The app has disconnected, and the link begins. */
  began(link: DaemonLink): void;
  /** The daemon is gone for good. */
  ended(): void;
}

/** Must be called before reconnect.ts changes the pipe. The returned function ends the link, or keeps it from beginning. */
export function keepLink({ onMessage, began, ended }: LinkEvents): () => void {
  const pipe = channelPipe();
  if (!pipe) return () => {};
  const { onread } = pipe;
  let link: DaemonLink | undefined;
  let isOver = false;
  pipe.onread = (bytes) => {
    // Node disconnects at the end of the stream.
    isOver ||= !bytes;
    if (!link) onread.call(pipe, bytes);
    else if (bytes) link.read(bytes);
    else {
      link.close();
      ended();
    }
  };
  watchDisconnect(() => {
    const Write = isOver || link ? undefined : writeRequestOf(pipe);
    if (!Write) return;
    link = new DaemonLink(pipe, Write, onMessage);
    began(link);
  });
  return () => {
    isOver = true;
    link?.close();
  };
}

export class DaemonLink {
  isOpen = true;
  readonly #pipe: IpcPipe;
  readonly #Write: new () => IpcWrite;
  readonly #onMessage: LinkEvents['onMessage'];
  readonly #close: IpcPipe['close'];
  readonly #decoder: StringDecoder;
  #text: string;

  constructor(pipe: IpcPipe, Write: new () => IpcWrite, onMessage: LinkEvents['onMessage']) {
    this.#pipe = pipe;
    this.#Write = Write;
    this.#onMessage = onMessage;
    this.#close = pipe.close.bind(pipe);
    const { text, decoder } = takeHalf(pipe);
    this.#text = text;
    this.#decoder = decoder ?? new StringDecoder('utf8');
    pipe.unref();
    // Node closes the pipe now, and references it for each listener to messages that the app adds later.
    Object.assign(pipe, { close() {}, ref() {}, unref() {} });
  }

  send(message: object | string, handle?: NodeHandle): void {
    if (!this.isOpen) return;
    const sent = handle ? { cmd: 'NODE_HANDLE', type: null, msg: message } : message;
    this.#pipe.writeUtf8String(new this.#Write(), `${JSON.stringify(sent)}\n`, handle);
  }

  close(): void {
    if (!this.isOpen) return;
    this.isOpen = false;
    this.#close();
  }

  read(bytes: ArrayBuffer): void {
    const handle = this.#pipe.pendingHandle as NodeHandle | null | undefined;
    this.#pipe.pendingHandle = null;
    const [first = '', ...others] = this.#decoder.write(Buffer.from(bytes)).split('\n');
    const lines = [this.#text + first, ...others];
    this.#text = lines.pop() ?? '';
    // A descriptor arrives with the first byte of its message.
    for (const link of lines) this.#parse(JSON.parse(link), handle);
  }

  #parse(message: unknown, handle: NodeHandle | null | undefined): void {
    if (isOf(message, marker)) this.#onMessage(message as unknown as DownMessage);
    if (!isOf(message, 'NODE_HANDLE')) return;
    this.send({ cmd: handle ? 'NODE_HANDLE_ACK' : 'NODE_HANDLE_NACK' });
    if (!handle) return;
    if (isOf(message.msg, marker)) this.#onMessage(message.msg as unknown as DownMessage, handle);
    else handle.close();
  }
}

/** What the daemon's user sends to the app is dropped, as the app no longer listens. */
function isOf(message: unknown, cmd: string): message is { cmd: string; msg?: unknown } {
  return typeof message === 'object' && message !== null && 'cmd' in message && message.cmd === cmd;
}
