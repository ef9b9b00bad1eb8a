// The daemon's end of one connection, and what a hostile client may do to it.
import type { Socket } from 'node:net';
import { realClock } from '../shared/clock.ts';
import { throwUncaught } from '../shared/throw-uncaught.ts';
import { Dispatcher } from './dispatcher.ts';
import { LineReader, LineTooLong, renderLine } from './frame.ts';
import type { Limits } from './limits.ts';
import type { Hello } from './protocol.ts';
import {
  badRequest,
  notification,
  type Route,
  type RpcError,
  type RpcNotification,
  type RpcReply,
  reply,
  rpcCodes,
} from './rpc.ts';

export interface ConnectionService {
  route: Route;
  hello: Hello;
  limits: Limits;
  /** Called when a connection holds a part of a message. */
  onHold(): void;
}

export class ServerConnection {
  readonly #socket: Socket;
  readonly #service: ConnectionService;
  readonly #reader: LineReader;
  readonly #dispatcher: Dispatcher;
  /** Messages without an answer yet; a batch counts once. */
  #unanswered = 0;
  /** No further message is expected: the client has ended its side, or the server is closing. */
  #isLast = false;
  #cancelDeadline: (() => void) | undefined;

  /** `socket` may be half open: `echo '{...}' | socat - UNIX:daemon.sock` ends its side before the reply is there. */
  constructor(socket: Socket, service: ConnectionService) {
    const { route, hello, limits } = service;
    this.#socket = socket;
    this.#service = service;
    this.#reader = new LineReader(limits.message);
    this.#dispatcher = new Dispatcher(route, limits, {
      tell: (method, params) => this.#send(notification(method, params)),
      onClose: (listener) => socket.once('close', listener),
    });
    socket.on('data', (chunk) => this.#receive(chunk));
    socket.on('end', () => this.finish());
    // EPIPE and ECONNRESET: the client is gone, and 'close' follows.
    socket.on('error', () => undefined);
    socket.on('close', () => this.#clearDeadline());
    this.#send(notification('hello', hello));
  }

  get isBusy(): boolean {
    return this.#unanswered > 0;
  }

  /** Bytes of a message that has not ended. */
  get held(): number {
    return this.#reader.held;
  }

  /** Ends the connection once every call is answered. */
  finish(): void {
    this.#isLast = true;
    if (!this.isBusy) this.#socket.destroySoon();
  }

  /** Says why, as far as the client can take it at once, and ends the connection. */
  refuse(error: RpcError): void {
    this.#send(reply(null, { error }));
    this.destroy();
  }

  destroy(): void {
    this.#socket.destroy();
  }

  #receive(chunk: Buffer): void {
    try {
      for (const line of this.#reader.read(chunk)) {
        this.#clearDeadline();
        this.#accept(JSON.parse(line)).catch(throwUncaught);
      }
    } catch (error) {
      if (!(error instanceof LineTooLong || error instanceof SyntaxError)) throw error;
      this.refuse(badRequest(rpcCodes.parseError, error.message));
      return;
    }
    if (this.held === 0) return;
    this.#setDeadline();
    this.#service.onHold();
  }

  async #accept(message: unknown): Promise<void> {
    this.#unanswered += 1;
    const answer = await this.#dispatcher.answer(message);
    if (answer) this.#send(answer);
    this.#unanswered -= 1;
    if (this.#isLast) this.finish();
  }

  /** From the first byte of a message to its end, so that a slow sender cannot occupy memory for ever. */
  #setDeadline(): void {
    const { messageTime } = this.#service.limits;
    const detail = `the message did not end within ${messageTime / 1_000} s`;
    this.#cancelDeadline ??= realClock.after(messageTime, () => this.refuse(badRequest(rpcCodes.parseError, detail)));
  }

  #clearDeadline(): void {
    this.#cancelDeadline?.();
    this.#cancelDeadline = undefined;
  }

  /** A client that does not read is let go before it costs memory; to one that has gone there is nothing to say. */
  #send(message: RpcReply | RpcReply[] | RpcNotification): void {
    if (!this.#socket.writable) return;
    if (this.#socket.writableLength > this.#service.limits.unread) this.destroy();
    else this.#socket.write(renderLine(message));
  }
}
