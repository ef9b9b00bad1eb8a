// One connection to the daemon: matches answers to calls, and gives up on a daemon that says nothing.
import type { Socket } from 'node:net';
import { failure, isErrorCode, NsvError } from '../shared/errors.ts';
import type { HomePaths } from '../shared/paths.ts';
import { LineReader, LineTooLong, renderLine } from './frame.ts';
import type { Hello, Progress } from './protocol.ts';
import type { RpcError, RpcId, RpcNotification, RpcReply } from './rpc.ts';
import type { EventView } from './views.ts';

/** Far above the limit of requests: the settings of hundreds of apps come with their environments. */
const longestAnswer = 256 * 1024 * 1024;

interface Waiting {
  method: string;
  resolve(value: unknown): void;
  reject(error: NsvError): void;
}

export class ClientConnection {
  readonly greeting: Promise<Hello>;
  /** Resolves when the connection has ended, by whomever. */
  readonly closed: Promise<void>;
  readonly #socket: Socket;
  readonly #paths: HomePaths;
  readonly #silence: number;
  readonly #waiting = new Map<RpcId, Waiting>();
  #lastId = 0;
  /** Why nothing more will come, for each method that is still waiting for it, or asked for later. */
  #reason = (method: string) => this.#closed(method);
  #listener: (progress: Progress) => void = () => undefined;
  #follower: (event: EventView) => void = () => undefined;

  /** `silence`: milliseconds without a word of the daemon, while it owes one, after which everything fails. */
  constructor(socket: Socket, paths: HomePaths, silence: number) {
    this.#socket = socket;
    this.#paths = paths;
    this.#silence = silence;
    const reader = new LineReader(longestAnswer);
    socket.on('data', (chunk) => this.#receive(reader, chunk));
    socket.on('timeout', () => this.#doubt());
    // 'close' follows.
    socket.on('error', () => undefined);
    socket.on('close', () => this.#fail());
    this.closed = new Promise((resolve) => socket.on('close', () => resolve()));
    this.greeting = this.#expect('hello', 'hello');
  }

  call(method: string, params: object): Promise<unknown> {
    if (!this.#socket.writable) return Promise.reject(this.#reason(method));
    this.#lastId += 1;
    const answer = this.#expect(this.#lastId, method);
    this.#socket.write(renderLine({ jsonrpc: '2.0', id: this.#lastId, method, params }));
    return answer;
  }

  onProgress(listener: (progress: Progress) => void): void {
    this.#listener = listener;
  }

  onEvent(follower: (event: EventView) => void): void {
    this.#follower = follower;
  }

  close(): void {
    this.#socket.destroy();
  }

  #expect<T>(id: RpcId, method: string): Promise<T> {
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { method, resolve: resolve as Waiting['resolve'], reject });
      this.#socket.setTimeout(this.#silence);
    });
  }

  #receive(reader: LineReader, chunk: Buffer): void {
    try {
      for (const line of reader.read(chunk)) this.#take(JSON.parse(line));
    } catch (error) {
      if (!(error instanceof LineTooLong || error instanceof SyntaxError)) throw error;
      this.#fail(() => this.#unreachable(`it does not speak the protocol of nsv: ${error.message}`));
    }
  }

  #take(message: RpcReply | RpcNotification): void {
    if ('method' in message) this.#hear(message);
    else if ('error' in message) this.#refused(message.id, message.error);
    else this.#settle(message.id)?.resolve(message.result);
  }

  #hear({ method, params }: RpcNotification): void {
    if (method === 'hello') this.#settle('hello')?.resolve(params);
    if (method === 'progress') this.#listener(params as Progress);
    if (method === 'event') this.#follower(params as EventView);
  }

  /** An error without an id is about the connection as a whole. */
  #refused(id: RpcId, error: RpcError): void {
    if (id === null) this.#fail(() => remote(error));
    else this.#settle(id)?.reject(remote(error));
  }

  #settle(id: RpcId): Waiting | undefined {
    const waiting = this.#waiting.get(id);
    this.#waiting.delete(id);
    if (this.#waiting.size === 0) this.#socket.setTimeout(0);
    return waiting;
  }

  #fail(reason = this.#reason): void {
    this.#reason = reason;
    const all = [...this.#waiting.values()];
    this.#waiting.clear();
    this.close();
    for (const { method, reject } of all) reject(reason(method));
  }

  /** A process that was suspended finds its timer due before it has read what came meanwhile: one turn of the loop reads it. */
  #doubt(): void {
    const heard = this.#socket.bytesRead;
    setImmediate(() => {
      if (this.#socket.bytesRead > heard) return;
      this.#fail((method) => failure('DAEMON_SILENT', { method, seconds: this.#silence / 1_000 }));
    });
  }

  /** A daemon that ends takes no new client: to that one it is as if there were none. */
  #closed(method: string): NsvError {
    if (method === 'hello') return failure('DAEMON_NOT_RUNNING', { home: this.#paths.home });
    return this.#unreachable(`it closed the connection before it had answered "${method}"`);
  }

  #unreachable(detail: string): NsvError {
    return failure('DAEMON_UNREACHABLE', { socket: this.#paths.socket, detail });
  }
}

/** The daemon's own failure. A newer daemon may know codes that this command does not: the text is kept. */
function remote({ message, data }: RpcError): NsvError {
  if (data === undefined) return failure('INTERNAL', { detail: message });
  return new NsvError(isErrorCode(data.code) ? data : { ...data, code: 'INTERNAL' });
}
