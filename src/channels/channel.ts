// Node's IPC channel to a process, whether or not this daemon started it.
import type { ChildProcess } from 'node:child_process';
import type { Socket } from 'node:net';
import { expectRenderable, isUpMessage, parseUpMessage } from '../ipc/up-message.ts';
import { type Handle, takeHandle } from '../os/sockets/node-handles.ts';
import { ChannelReader } from './channel-reader.ts';

export interface ChannelListener {
  /** A parsed message: of nsv's preload if `internal`, otherwise of the app. The handle is the listener's to close. */
  message(message: unknown, internal: boolean, handle?: Handle): void;
  /** The process has sent what no worker sends, and has lost its channel. */
  cutOff(reason: string): void;
  /** The channel was lost, and the process will have another one. What was on its way may have arrived or not. */
  lost?(): void;
}

/** Sends a message; returns false if there is no open channel. `done` gets the write error. */
export type Send = (message: object | string, handle?: Handle, done?: (error: Error | null) => void) => boolean;

export interface Channel {
  listener: ChannelListener;
  readonly isOpen: boolean;
  send: Send;
  close(): void;
  /** `isLost`: not the process has closed it, and it will connect again. */
  onceClosed(closed: (isLost: boolean) => void): void;
}

/** A message of a process, as parsed. */
export interface ParsedMessage {
  message: unknown;
  internal: boolean;
  handle?: Handle | undefined;
}

/** Throws TypeError. Closes a handle that nothing needs, because it must not stay open. */
export function parseChannelMessage(message: unknown, handle?: Handle): ParsedMessage {
  const parsed = isUpMessage(message) ? parseUpMessage(message) : undefined;
  if (parsed?.type === 'return-socket' || parsed?.type === 'pass-on')
    return { message: parsed, internal: true, handle };
  handle?.close();
  if (!parsed) expectRenderable(message);
  return { message: parsed ?? message, internal: parsed !== undefined };
}

/** A channel that this process reads itself. Must be created in the turn in which the channel was. */
export class DirectChannel implements Channel {
  listener: ChannelListener;
  readonly #child: ChildProcess;

  constructor(child: ChildProcess, listener: ChannelListener) {
    this.#child = child;
    this.listener = listener;
    new ChannelReader<ParsedMessage>(child, {
      parse: parseChannelMessage,
      message: ({ message, internal, handle }) => this.listener.message(message, internal, handle),
      cutOff: (reason) => this.listener.cutOff(reason),
    });
  }

  get isOpen(): boolean {
    return this.#child.connected;
  }

  send: Send = (message, handle, done = () => {}) => {
    if (!this.#child.connected) return false;
    // Node's types do not list raw handles. Without a callback, a failed write would be an 'error' event.
    this.#child.send(message, handle as Parameters<ChildProcess['send']>[1], done);
    return true;
  };

  close(): void {
    if (this.#child.connected) this.#child.disconnect();
  }

  onceClosed(closed: (isLost: boolean) => void): void {
    this.#child.once('disconnect', () => closed(false));
  }
}

/**
 * Takes the descriptor from a socket. Node can receive descriptors only on a pipe opened for that purpose, so a new
 * pipe is opened on the same descriptor. The old handle must never be closed, because its number may belong to another
 * file by then. It leaks a few hundred bytes per adopted process.
 */
export function descriptorOf(socket: Socket): number {
  return takeHandle(socket).fd;
}
