// One connection to the daemon: matches replies to calls, and detects a daemon that does not respond.
import type { Socket } from 'node:net';
import { errnoOf } from '../shared/errno.ts';
import { detailOf, failure, isErrorCode, NsvError } from '../shared/errors.ts';
import type { HomePaths } from '../shared/paths.ts';
import { version } from '../shared/version.ts';
import { LineReader, LineTooLong, renderLine } from './frame.ts';
import type { CallerView, EventView, JournalEnd } from './journal/event-views.ts';
import type { AnswerPart, Hello, Progress, ProgressListener, Report } from './protocol.ts';
import { type RpcError, type RpcId, type RpcNotification, type RpcReply, rpcCodes } from './rpc.ts';

/** Bytes. Far above the limit of requests, because replies can hold the environments of hundreds of apps. */
const longestAnswer = 256 * 1024 * 1024;

interface Waiting {
  method: string;
  resolve(value: unknown): void;
  reject(error: NsvError): void;
  report?: Report | undefined;
}

export class ClientConnection {
  readonly greeting: Promise<Hello>;
  /** Resolves when either side has closed the connection. */
  readonly closed: Promise<void>;
  readonly #socket: Socket;
  readonly #paths: HomePaths;
  readonly #silence: number;
  readonly #waiting = new Map<RpcId, Waiting>();
  #lastId = 0;
  /** The daemon's version. */
  #theirs = version;
  /** Builds the error of calls that are pending when the connection ends, or made afterwards. */
  #reason = (method: string) => this.#closed(method);
  #listener: ProgressListener = () => undefined;
  #follower: (event: EventView) => void = () => undefined;
  #collector: (part: AnswerPart) => void = () => undefined;
  #beginner: (end: JournalEnd) => void = () => undefined;

  /** `silence`: all calls fail after this many milliseconds without data from the daemon while a call is pending. */
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

  /** `report` receives the progress of the call. */
  call(method: string, params: object, report?: Report, caller?: CallerView): Promise<unknown> {
    if (!this.isOpen) return Promise.reject(this.#reason(method));
    this.#lastId += 1;
    const id = this.#lastId;
    let line: string;
    try {
      line = renderLine({ jsonrpc: '2.0', id, method, params, caller });
    } catch (cause) {
      return Promise.reject(
        failure('BAD_USAGE', { detail: `the arguments are no JSON: ${detailOf(cause)}` }, { cause }),
      );
    }
    const answer = this.#expect(id, method, report);
    // If the daemon has closed the connection, it has not read this call. Its last message may still be unread here.
    const sent = (error?: Error | null) => error && this.#settle(id)?.reject(failure('HANDED_OVER', {}));
    this.#socket.write(line, sent);
    return answer;
  }

  onProgress(listener: ProgressListener): void {
    this.#listener = listener;
  }

  onEvent(follower: (event: EventView) => void): void {
    this.#follower = follower;
  }

  onPart(collector: (part: AnswerPart) => void): void {
    this.#collector = collector;
  }

  onFollowing(beginner: (end: JournalEnd) => void): void {
    this.#beginner = beginner;
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
    if ('method' in message) this.#onMessage(message);
    else if ('error' in message) this.#refused(message.id, message.error);
    else this.#settle(message.id)?.resolve(message.result);
  }

  #onMessage({ method, params }: RpcNotification): void {
    if (method === 'hello') {
      this.#theirs = (params as Hello).version;
      this.#settle('hello')?.resolve(params);
    }
    if (method === 'progress' || method === 'notice') this.#progress(params as Progress, method === 'notice');
    if (method === 'event') this.#follower(params as EventView);
    if (method === 'part') this.#collector(params as AnswerPart);
    if (method === 'following') this.#beginner(params as JournalEnd);
  }

  #progress(progress: Progress, isLasting: boolean): void {
    const report = this.#waiting.get(progress.id)?.report;
    if (report) report(progress.text, isLasting);
    else this.#listener(progress, isLasting);
  }

  /** An error without an id concerns the whole connection. */
  #refused(id: RpcId, error: RpcError): void {
    if (id === null) this.#fail(() => remote(error));
    const waiting = this.#settle(id);
    const { code, message: detail } = error;
    const isUnknown = code === rpcCodes.methodNotFound || code === rpcCodes.invalidParams;
    if (isUnknown && this.#theirs !== version)
      waiting?.reject(
        failure('DAEMON_TOO_OLD', { method: waiting.method, ours: version, theirs: this.#theirs, detail }),
      );
    else waiting?.reject(remote(error));
  }

  #settle(id: RpcId): Waiting | undefined {
    const waiting = this.#waiting.get(id);
    this.#waiting.delete(id);
    // Without pending calls, the connection does not keep the process alive.
    if (this.#waiting.size === 0) this.#socket.setTimeout(0).unref();
    return waiting;
  }

  /** ECONNRESET: the peer closed its Unix socket with data unread (unix_release_sock), namely the last call. */
  #sever(error: Error): void {
    if (errnoOf(error) === 'ECONNRESET') this.#settle(this.#lastId)?.reject(failure('HANDED_OVER', {}));
  }

  #fail(reason = this.#reason): void {
    this.#reason = reason;
    const all = [...this.#waiting.values()];
    this.#waiting.clear();
    this.close();
    for (const { method, reject } of all) reject(reason(method));
  }

  /** After a suspend, the timer fires before new data is read, so this waits one turn of the event loop. */
  #doubt(): void {
    const bytesBefore = this.#socket.bytesRead;
    setImmediate(() => {
      if (this.#socket.bytesRead > bytesBefore) return;
      this.#fail((method) => failure('DAEMON_SILENT', { method, seconds: this.#silence / 1_000 }));
    });
  }

  /** A daemon that is shutting down takes no new clients. To them it looks as if none were running. */
  #closed(method: string): NsvError {
    if (method === 'hello') return failure('DAEMON_NOT_RUNNING', { home: this.#paths.home });
    return this.#unreachable(`it closed the connection before it had answered "${method}"`);
  }

  #unreachable(detail: string): NsvError {
    return failure('DAEMON_UNREACHABLE', { socket: this.#paths.socket, detail });
  }
}

/** The daemon's own error. Codes of a newer daemon may be unknown here; their text is kept. */
function remote({ message, data }: RpcError): NsvError {
  if (data === undefined) return failure('INTERNAL', { detail: message });
  return new NsvError(isErrorCode(data.code) ? data : { ...data, code: 'INTERNAL' });
}
