// One connection to the daemon: matches answers to calls, and gives up on a daemon that says nothing.
import type { Socket } from 'node:net';
import { errnoOf } from '../shared/errno.ts';
import { failure, isErrorCode, NsvError } from '../shared/errors.ts';
import type { HomePaths } from '../shared/paths.ts';
import { version } from '../shared/version.ts';
import { LineReader, LineTooLong, renderLine } from './frame.ts';
import type { Hello, Progress, Report } from './protocol.ts';
import { type RpcError, type RpcId, type RpcNotification, type RpcReply, rpcCodes } from './rpc.ts';
import type { EventView } from './views.ts';

/** Far above the limit of requests: the settings of hundreds of apps come with their environments. */
const longestAnswer = 256 * 1024 * 1024;

interface Waiting {
  method: string;
  resolve(value: unknown): void;
  reject(error: NsvError): void;
  report?: Report | undefined;
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
  /** The daemon's version. */
  #theirs = version;
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
    socket.on('error', (error) => this.#sever(error));
    socket.on('close', () => this.#fail());
    this.closed = new Promise((resolve) => socket.on('close', () => resolve()));
    this.greeting = this.#expect('hello', 'hello');
  }

  get isOpen(): boolean {
    return this.#socket.writable;
  }

  /** `report` hears what the call waits for. */
  call(method: string, params: object, report?: Report): Promise<unknown> {
    if (!this.isOpen) return Promise.reject(this.#reason(method));
    this.#lastId += 1;
    const id = this.#lastId;
    const answer = this.#expect(id, method, report);
    // Who has closed the connection has not read this, and its last word may lie unread before it.
    const sent = (error?: Error | null) => error && this.#settle(id)?.reject(failure('HANDED_OVER', {}));
    this.#socket.write(renderLine({ jsonrpc: '2.0', id, method, params }), sent);
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

  #expect<T>(id: RpcId, method: string, report?: Report): Promise<T> {
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { method, resolve: resolve as Waiting['resolve'], reject, report });
      this.#socket.ref();
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
    if (method === 'hello') this.#greet(params as Hello);
    if (method === 'progress') this.#progress(params as Progress);
    if (method === 'event') this.#follower(params as EventView);
  }

  #greet(hello: Hello): void {
    this.#theirs = hello.version;
    this.#settle('hello')?.resolve(hello);
  }

  #progress(progress: Progress): void {
    this.#waiting.get(progress.id)?.report?.(progress.text);
    this.#listener(progress);
  }

  /** An error without an id is about the connection as a whole. */
  #refused(id: RpcId, error: RpcError): void {
    if (id === null) this.#fail(() => remote(error));
    const waiting = this.#settle(id);
    waiting?.reject(this.#isForeign(error) ? this.#lacks(waiting.method, error) : remote(error));
  }

  /** Whether the two ends do not understand each other because one is older. */
  #isForeign({ code }: RpcError): boolean {
    return this.#theirs !== version && (code === rpcCodes.methodNotFound || code === rpcCodes.invalidParams);
  }

  #lacks(method: string, { message: detail }: RpcError): NsvError {
    return failure('DAEMON_LACKS', { method, ours: version, theirs: this.#theirs, detail });
  }

  #settle(id: RpcId): Waiting | undefined {
    const waiting = this.#waiting.get(id);
    this.#waiting.delete(id);
    if (this.#waiting.size === 0) this.#rest();
    return waiting;
  }

  /** Whoever closes a Unix socket with something unread in it resets the connection (unix_release_sock): what was asked last. */
  #sever(error: Error): void {
    if (errnoOf(error) === 'ECONNRESET') this.#settle(this.#lastId)?.reject(failure('HANDED_OVER', {}));
  }

  /** Nobody waits for anything: that keeps no process alive. */
  #rest(): void {
    this.#socket.setTimeout(0);
    this.#socket.unref();
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
