// The daemon's end of one connection, with limits against hostile clients.
import type { Socket } from 'node:net';
import { realClock } from '../shared/clock.ts';
import { throwUncaught } from '../shared/throw-uncaught.ts';
import { LineReader, LineTooLong, renderLine } from './frame.ts';
import { parseCaller } from './journal/event-line.ts';
import type { ServerLimits } from './limits.ts';
import type { CallStream, Hello, Progress, Report } from './protocol.ts';
import {
  badRequest,
  notification,
  parseRequest,
  type Route,
  type RpcError,
  type RpcNotification,
  type RpcOutcome,
  type RpcReply,
  type RpcRequest,
  reply,
  rpcCodes,
} from './rpc.ts';

export interface ConnectionService {
  route: Route;
  hello: Hello;
  limits: ServerLimits;
  /** Called when a connection holds an incomplete message. */
  onHold(): void;
}

export class ServerConnection {
  readonly #socket: Socket;
  readonly #service: ConnectionService;
  readonly #reader: LineReader;
  readonly #line: CallStream;
  /** Messages without a reply so far; a batch counts as one. */
  #unanswered = 0;
  /** Calls under way: each request of a batch is one. */
  #calls = 0;
  /** No further messages are expected: the client has ended its side, or the server is closing. */
  #isLast = false;
  #cancelDeadline: (() => void) | undefined;

  /** `socket` may be half open: `echo '{...}' | socat - UNIX:daemon.sock` ends its side before it gets the reply. */
  constructor(socket: Socket, service: ConnectionService) {
    this.#socket = socket;
    this.#service = service;
    this.#reader = new LineReader(service.limits.message);
    this.#line = {
      notify: (method, params) => this.#send(notification(method, params)),
      onClose: (listener) => socket.once('close', listener),
      onceRead: (then) => (socket.writableNeedDrain ? socket.once('drain', then) : then()),
    };
    socket.on('data', (chunk) => this.#receive(chunk));
    socket.on('end', () => this.finish());
    // EPIPE and ECONNRESET: the client is gone, and 'close' follows.
    socket.on('error', () => undefined);
    socket.on('close', () => this.#clearDeadline());
    this.#send(notification('hello', service.hello));
  }

  get isBusy(): boolean {
    return this.#unanswered > 0;
  }

  /** Bytes of the incomplete message. */
  get held(): number {
    return this.#reader.held;
  }

  /** Ends the connection once all calls have been answered. */
  finish(): void {
    this.#isLast = true;
    if (!this.isBusy) this.#socket.destroySoon();
  }

  /** Sends an error, if the client can take it at once, and closes the connection. */
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
    const answer = await this.#answer(message);
    if (answer) this.#send(answer);
    this.#unanswered -= 1;
    if (this.#isLast) this.finish();
  }

  /** Limits the time from the first byte of a message to its end: a slow sender must not occupy memory for ever. */
  #setDeadline(): void {
    const { messageTime } = this.#service.limits;
    const detail = `the message was not complete within ${messageTime / 1_000} s`;
    this.#cancelDeadline ??= realClock.after(messageTime, () => this.refuse(badRequest(rpcCodes.parseError, detail)));
  }

  #clearDeadline(): void {
    this.#cancelDeadline?.();
    this.#cancelDeadline = undefined;
  }

  /** Disconnects a client that does not read before it costs memory. Does nothing if the client is gone. */
  #send(message: RpcReply | RpcReply[] | RpcNotification): void {
    if (!this.#socket.writable) return;
    if (this.#socket.writableLength > this.#service.limits.unread) this.destroy();
    else this.#socket.write(renderLine(message));
  }

  /** Resolves to undefined if no reply is due, as for notifications. */
  async #answer(message: unknown): Promise<RpcReply | RpcReply[] | undefined> {
    if (!Array.isArray(message)) return this.#answerOne(message);
    const { calls } = this.#service.limits;
    // Even a short message can hold millions of elements, and each would get a reply of a hundred bytes.
    if (message.length === 0 || message.length > calls) return invalid(`a batch has 1 to ${calls} requests`);
    const replies = await Promise.all(message.map((item) => this.#answerOne(item)));
    const due = replies.filter((item) => item !== undefined);
    return due.length > 0 ? due : undefined;
  }

  async #answerOne(message: unknown): Promise<RpcReply | undefined> {
    const request = parseRequest(message);
    if (!request) return invalid('it is not a JSON-RPC 2.0 request');
    const outcome = await this.#perform(request);
    return request.id === undefined ? undefined : reply(request.id, outcome);
  }

  async #perform({ id, method, params, caller }: RpcRequest): Promise<RpcOutcome> {
    if (this.#calls >= this.#service.limits.calls) {
      return { error: badRequest(rpcCodes.application, `${this.#calls} calls are under way on this connection`) };
    }
    let text = '';
    const notify = (notification: 'progress' | 'notice', news: string) => {
      if (id !== undefined && id !== null) this.#line.notify(notification, { id, text: news } satisfies Progress);
    };
    const beat = setInterval(() => notify('progress', text), this.#service.limits.heartbeat);
    this.#calls += 1;
    try {
      const report: Report = (news, isLasting = false) => {
        if (!isLasting) text = news;
        notify(isLasting ? 'notice' : 'progress', news);
      };
      return await this.#service.route(method, params, report, this.#line, parseCaller(caller));
    } finally {
      this.#calls -= 1;
      clearInterval(beat);
    }
  }
}

function invalid(detail: string): RpcReply {
  return reply(null, { error: badRequest(rpcCodes.invalidRequest, detail) });
}
