// A connection of which every byte is the test's.
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { eventually } from './eventually.ts';

export class RawClient {
  readonly #socket: Socket;
  #text = '';
  #end: 'open' | 'ended' | string = 'open';

  constructor(socket: Socket) {
    this.#socket = socket.setEncoding('utf8');
    socket.on('data', (chunk) => (this.#text += chunk));
    socket.on('end', () => (this.#end = 'ended'));
    socket.on('error', (error: NodeJS.ErrnoException) => (this.#end = error.code ?? error.message));
  }

  /** `staysOpen`: it does not close its side when the server does. */
  static async open(target: number | string, { staysOpen = false } = {}): Promise<RawClient> {
    const place = typeof target === 'number' ? { port: target, host: '127.0.0.1' } : { path: target };
    const socket = connect({ ...place, allowHalfOpen: staysOpen });
    await once(socket, 'connect');
    return new RawClient(socket);
  }

  says(text: string): void {
    this.#socket.write(text);
  }

  asks(path: string, ...headers: string[]): void {
    this.says(`${[`GET ${path} HTTP/1.1`, 'Host: test', ...headers].join('\r\n')}\r\n\r\n`);
  }

  /** Resolves with what it has got, once that matches; fails when the connection is over without. */
  hears(pattern: RegExp): Promise<string> {
    return eventually(() => {
      if (pattern.test(this.#text)) return this.#text;
      if (this.#end !== 'open') throw new Error(`${this.#end} after: ${this.#text}`);
      return undefined;
    });
  }

  get received(): string {
    return this.#text;
  }

  /** Forgets what it has heard. */
  forgets(): void {
    this.#text = '';
  }

  /** 'ended', or the code of the error. */
  over(): Promise<string> {
    return eventually(() => this.#end !== 'open' && this.#end);
  }

  get end(): string {
    return this.#end;
  }

  leaves(): void {
    this.#socket.end();
  }
}

/** A client that has had its answer, and keeps the connection: the server has accepted it, and all before it. */
export async function kept(port: number): Promise<RawClient> {
  const client = await RawClient.open(port);
  client.asks('/at-once');
  await client.hears(/keep-alive[\s\S]*\r\n\r\n\d+/i);
  client.forgets();
  return client;
}

/** A client that has had its answer from this process, and keeps the connection. */
export async function acceptedBy({ pid }: { pid: number }, port: number): Promise<RawClient> {
  // They stay until it is found: the process with the fewest connections gets the next.
  const others: RawClient[] = [];
  const found = await eventually(async () => {
    const client = await RawClient.open(port);
    client.asks('/');
    const answer = await client.hears(/\r\n\r\n\d+/);
    client.forgets();
    if (answer.endsWith(`\r\n\r\n${pid}`)) return client;
    others.push(client);
    return undefined;
  }, `a connection to process ${pid}`);
  for (const other of others) other.leaves();
  return found;
}
