// Both ends of the wire for tests: a server with handlers of the test's own, and clients that send whatever they like.
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import type { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createRouter } from '../../src/daemon/control/router.ts';
import type { ServerLimits } from '../../src/ipc/limits.ts';
import { type Handlers, type Hello, methods } from '../../src/ipc/protocol.ts';
import { createServer, type Server } from '../../src/ipc/server.ts';
import type { DaemonView } from '../../src/ipc/views.ts';
import { dial } from '../../src/os/socket-file.ts';
import { type HomePaths, homePaths } from '../../src/shared/paths.ts';
import { protocolVersion } from '../../src/shared/version.ts';

export interface TemporaryHome {
  paths: HomePaths;
  remove(): void;
}

/** An empty home of mode 0700, or with `below` one that is not made yet. */
export function temporaryHome(below?: string): TemporaryHome {
  const directory = mkdtempSync(join(tmpdir(), 'nsv-wire-'));
  chmodSync(directory, 0o700);
  return {
    paths: homePaths(below ? join(directory, below) : directory),
    remove: () => rmSync(directory, { recursive: true, force: true }),
  };
}

export const daemonView: DaemonView = {
  pid: process.pid,
  version: '1.2.3',
  protocol: protocolVersion,
  node: process.version,
  home: '/home',
  uptime: 1,
};

/** A `ping` that works; every other method says that it is not played here, unless the test plays it. */
export function fakeHandlers(played: Partial<Handlers> = {}): Handlers {
  const absent = Object.keys(methods).map((name) => [
    name,
    () => {
      throw new Error(`${name} is not played`);
    },
  ]);
  return { ...Object.fromEntries(absent), ping: () => daemonView, ...played };
}

export interface Scene {
  handlers?: Partial<Handlers>;
  limits?: Partial<ServerLimits>;
  hello?: Partial<Hello>;
  onBug?: (error: unknown) => void;
}

export function serve(
  paths: HomePaths,
  { handlers, limits = {}, hello, onBug = () => {} }: Scene = {},
): Promise<Server> {
  return createServer({
    paths,
    limits,
    route: createRouter(fakeHandlers(handlers), onBug),
    hello: { protocol: protocolVersion, version: '1.2.3', build: 'b1', pid: process.pid, ...hello },
  });
}

// biome-ignore lint/suspicious/noExplicitAny: what a test expects of a message is what it goes on to check.
export type Message = any;

/** A client without manners: sends bytes, and remembers what it is told. */
export class RawClient {
  readonly messages: Message[] = [];
  readonly closed: Promise<void>;
  readonly #socket: Socket;
  #rest = '';
  #wake: () => void = () => {};

  private constructor(socket: Socket) {
    this.#socket = socket;
    socket.setEncoding('utf8').on('data', (text: string) => this.#receive(text));
    socket.on('error', () => {});
    this.closed = new Promise((resolve) => socket.on('close', () => resolve()));
    void this.closed.then(() => this.#wake());
  }

  static async connect(paths: HomePaths): Promise<RawClient> {
    return new RawClient(await dial(paths.socket, 10_000));
  }

  get socket(): Socket {
    return this.#socket;
  }

  send(message: unknown): void {
    this.write(`${JSON.stringify(message)}\n`);
  }

  write(bytes: string | Buffer): void {
    this.#socket.write(bytes);
  }

  /** The first message, now or later, for which `test` is true. */
  async hears(test: (message: Message) => boolean): Promise<Message> {
    for (;;) {
      const found = this.messages.find(test);
      if (found) return found;
      if (this.#socket.closed) throw new Error(`closed after ${JSON.stringify(this.messages)}`);
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }

  /** The reply to `message`, found by its id. */
  ask(message: { id: unknown; [key: string]: unknown }): Promise<Message> {
    this.send({ jsonrpc: '2.0', ...message });
    return this.hears(({ id, method }) => id === message.id && method === undefined);
  }

  #receive(text: string): void {
    const lines = (this.#rest + text).split('\n');
    this.#rest = lines.pop() ?? '';
    this.messages.push(...lines.map((line) => JSON.parse(line)));
    this.#wake();
  }
}

/** A promise, and the hand that settles it. */
export function gate<T = void>(): { opened: Promise<T>; open: (value: T) => void } {
  let open: (value: T) => void = () => {};
  const opened = new Promise<T>((resolve) => {
    open = resolve;
  });
  return { opened, open };
}
