// Reads what a process sends over Node's IPC channel, in place of Node.
//
// Node parses a channel as if it trusted its peer: a line that is not JSON, a receipt for nothing and a handle of an
// unknown type each throw inside Node, where nothing can catch them, and a line without an end grows for ever. Here, a
// peer that sends such things loses its channel.
import type { ChildProcess } from 'node:child_process';
import { LineReader, LineTooLong } from '../ipc/frame.ts';
import { workerLimits } from '../ipc/limits.ts';
import { type DownMessage, marker } from '../ipc/worker-messages.ts';
import type { Handle } from '../os/sockets/node-handles.ts';
import { realClock } from '../shared/clock.ts';
import { type ChannelPipe, decodeWith, forgetSentHandles, pipeOf, sentHandles } from './node-channel.ts';

export interface Reading<T> {
  /** Throws TypeError for what the peer must not send. The handle is its own to close or to pass on. */
  parse(message: unknown, handle: Handle | undefined): T;
  message(parsed: T): void;
  /** The peer has sent what it must not send, and has lost its channel. */
  cutOff(reason: string): void;
  /** Whether what was heard has piled up, so that nothing is read for now. */
  isBehind?(): boolean;
  /** The peer is of nsv: it may take its time to read. */
  isOwn?: boolean;
  /** Bytes of a message, which may change between two messages. Default: those of a message of a process. */
  longest?: number | (() => number);
}

/** What a process has sent that loses its channel by sending, and not reading. */
export const inattention = 'message after message without reading the answers';

export class ChannelReader<T> {
  readonly #child: ChildProcess;
  readonly #reading: Reading<T>;
  readonly #pipe: ChannelPipe;
  readonly #reader: LineReader;
  /** A handle whose message has not arrived completely. */
  #handle: Handle | undefined;

  /** Must be created in the turn in which the channel was. */
  constructor(child: ChildProcess, reading: Reading<T>) {
    this.#child = child;
    this.#reading = reading;
    this.#reader = new LineReader(reading.longest ?? workerLimits.message);
    this.#pipe = pipeOf(child)!;
    this.#takeOver();
  }

  /** Node still reads, because only it knows how. */
  #takeOver(): void {
    const pipe = this.#pipe;
    const { onread } = pipe;
    pipe.onread = (bytes) => {
      const { pendingHandle } = pipe;
      pipe.pendingHandle = null;
      if (pendingHandle) {
        this.#handle?.close();
        this.#handle = pendingHandle;
      }
      if (!bytes) this.#drop();
      onread.call(pipe, bytes);
    };
    decodeWith(pipe, (bytes) => {
      this.#read(this.#reader.read(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)));
    });
  }

  /** A peer that never stops sending gets its share, so that the others get theirs. */
  #read(lines: Iterator<string, void>): void {
    for (let count = 0; count < workerLimits.perTurn && !this.#reading.isBehind?.(); count += 1) {
      if (!this.#child.connected) return;
      const next = this.#next(lines);
      if (next === 'last') return;
      if (next) this.#reading.message(next.parsed);
    }
    this.#pipe.readStop();
    realClock.after(workerLimits.pause, () => {
      if (!this.#child.connected) return;
      this.#pipe.readStart();
      this.#read(lines);
    });
  }

  /** Undefined for a message that concerns only Node. */
  #next(lines: Iterator<string, void>): { parsed: T } | undefined | 'last' {
    try {
      const { value, done } = lines.next();
      if (done || value === undefined) return 'last';
      if (!this.#reading.isOwn) this.#expectAttention();
      return this.#parse(JSON.parse(value));
    } catch (error) {
      if (!(error instanceof LineTooLong || error instanceof SyntaxError || error instanceof TypeError)) throw error;
      this.#cutOff(error instanceof SyntaxError ? 'what is not JSON' : error.message);
      return 'last';
    }
  }

  /** Throws TypeError. */
  #parse(message: unknown, handle?: Handle): { parsed: T } | undefined {
    const cmd = commandOf(message);
    if (cmd === 'NODE_HANDLE') return this.#receive(message as { msg?: unknown });
    if (!cmd?.startsWith('NODE_') || cmd === marker) return { parsed: this.#reading.parse(message, handle) };
    handle?.close();
    return this.#handleNodeMessage(cmd, message as { key?: unknown });
  }

  /** A message with a handle. Node waits for the receipt before it sends another one. */
  #receive({ msg }: { msg?: unknown }): { parsed: T } | undefined {
    const handle = this.#handle;
    this.#handle = undefined;
    deliver(this.#child, { cmd: 'NODE_HANDLE_ACK' });
    // Without a handle if this process has no descriptors left: the system drops it then.
    if (commandOf(msg) !== 'NODE_HANDLE') return this.#parse(msg, handle);
    handle?.close();
    throw new TypeError('a handle in a handle');
  }

  #handleNodeMessage(cmd: string, { key }: { key?: unknown }): undefined {
    const isReceipt = cmd === 'NODE_HANDLE_ACK' || cmd === 'NODE_HANDLE_NACK';
    // Node fails on a receipt that it does not wait for.
    if (isReceipt && sentHandles(this.#child) !== undefined) {
      this.#child.emit('internalMessage', { cmd }, undefined);
    }
    if (typeof key !== 'string') return;
    // An app that has sent its connections asks whether they are still open. They were closed at once.
    if (cmd === 'NODE_SOCKET_NOTIFY_CLOSE') deliver(this.#child, { cmd: 'NODE_SOCKET_ALL_CLOSED', key });
    if (cmd === 'NODE_SOCKET_GET_COUNT') deliver(this.#child, { cmd: 'NODE_SOCKET_COUNT', key, count: 0 });
  }

  /** Throws TypeError if the process sends, but does not read the answers. */
  #expectAttention(): void {
    const handles = sentHandles(this.#child) ?? 0;
    const isBehind = (this.#pipe.writeQueueSize ?? 0) > workerLimits.unread || handles > workerLimits.unreadHandles;
    if (isBehind) throw new TypeError(inattention);
  }

  #cutOff(what: string): void {
    this.#drop();
    const reason = `it sent ${what}`;
    closeFor(this.#child, reason);
    this.#reading.cutOff(reason);
  }

  #drop(): void {
    this.#handle?.close();
    this.#handle = undefined;
  }
}

/** Closes the channel to a process, and tells it why. */
export function closeFor(child: ChildProcess, reason: string): void {
  // `disconnect` waits for the receipts of handles, which may never come.
  forgetSentHandles(child);
  deliver(child, { cmd: marker, type: 'close-channel', reason } satisfies DownMessage);
  child.disconnect();
}

function deliver(child: ChildProcess, message: object): void {
  // Without a callback, a failed write would be an 'error' event.
  child.send(message, undefined, undefined, () => {});
}

function commandOf(message: unknown): string | undefined {
  if (typeof message !== 'object' || message === null || !('cmd' in message)) return undefined;
  return typeof message.cmd === 'string' ? message.cmd : undefined;
}
