// Sends an HTTP probe over a connection, and reads the answer. Node's own client would do more than is wanted (it follows
// what a server says about keep-alive, trailers and upgrades) and costs 2 MB, which daemons without HTTP probes need not pay.
import { isIP, type Socket } from 'node:net';
import type { ConnectionOptions, TLSSocket } from 'node:tls';
import type { ProbePlace } from '../../config/options/probe.ts';
import type { ServerSpeech } from '../../ipc/worker-messages.ts';
import type { ProbeAnswer } from './standing.ts';

/** Closes the connection. Rejects with what is wrong with the answer. */
export async function askHttp(
  socket: Socket,
  place: ProbePlace,
  speaks: ServerSpeech,
  abort: AbortSignal,
): Promise<ProbeAnswer> {
  const destroy = () => socket.destroy();
  abort.addEventListener('abort', destroy);
  // What it says is told by the end of the connection.
  socket.on('error', () => {});
  try {
    const stream = place.scheme === 'https' ? await secured(socket, place) : socket;
    const isHttp2 = speaks === 'http2' || ('alpnProtocol' in stream && stream.alpnProtocol === 'h2');
    return answerOf(await (isHttp2 ? statusOfHttp2(stream, place) : statusOfHttp1(stream, place)));
  } finally {
    abort.removeEventListener('abort', destroy);
    socket.destroy();
  }
}

/** A redirect is an answer: where it leads is not followed, as it may be another machine. */
function answerOf(status: number): ProbeAnswer {
  return status >= 200 && status < 400 ? { ok: true } : { ok: false, why: `it answered with status ${status}` };
}

/** The certificate is not verified: it is for names of the world, and this is the same machine. */
async function secured(socket: Socket, { host }: ProbePlace): Promise<TLSSocket> {
  const { connect } = await import('node:tls');
  expectOpen(socket);
  const options: ConnectionOptions = { socket, rejectUnauthorized: false, ALPNProtocols: ['http/1.1', 'h2'] };
  const stream = connect({ ...options, ...(host !== undefined && isIP(host) === 0 && { servername: host }) });
  try {
    await new Promise<void>((resolve, reject) => {
      stream.once('secureConnect', resolve);
      stream.once('error', reject);
      // Without an error, if the probe is withdrawn while a blocked process owes its part of the handshake.
      stream.once('close', () => reject(new Error('the connection was closed during the handshake')));
    });
    return stream;
  } catch (error) {
    throw new Error(`TLS: ${(error as Error).message}`, { cause: error });
  }
}

/** The probe may be withdrawn while a module is loaded. Whoever gets a closed connection then never hears that it is. */
function expectOpen({ destroyed }: Socket): void {
  if (destroyed) throw new Error('it closed the connection without an answer');
}

function authorityOf({ host, port, socket }: ProbePlace): string {
  const name = host ?? (socket === undefined ? '127.0.0.1' : 'localhost');
  return `${isIP(name) === 6 ? `[${name}]` : name}${port === undefined ? '' : `:${port}`}`;
}

function statusOfHttp1(stream: Socket, place: ProbePlace): Promise<number> {
  const answer = new HttpAnswer();
  return new Promise((resolve, reject) => {
    let failure: Error | undefined;
    const attempt = (read: () => number | undefined) => {
      try {
        const status = read();
        if (status !== undefined) resolve(status);
      } catch (error) {
        reject(error);
        stream.destroy();
      }
    };
    stream.on('data', (bytes: Buffer) => attempt(() => answer.read(bytes)));
    stream.on('error', (error) => {
      failure = error;
    });
    stream.on('close', () => attempt(() => whenClosed(answer, failure)));
    const headers = ['User-Agent: nsv-probe', 'Accept: */*', 'Connection: close'];
    const request = [`GET ${place.path} HTTP/1.1`, `Host: ${authorityOf(place)}`, ...headers];
    stream.write(`${request.join('\r\n')}\r\n\r\n`);
  });
}

/** Throws. */
function whenClosed(answer: HttpAnswer, failure: Error | undefined): number {
  const status = answer.end();
  if (failure) throw failure;
  return status;
}

async function statusOfHttp2(stream: Socket, place: ProbePlace): Promise<number> {
  const { connect } = await import('node:http2');
  expectOpen(stream);
  const session = connect(`${place.scheme}://${authorityOf(place)}`, { createConnection: () => stream });
  try {
    return await new Promise((resolve, reject) => {
      session.on('error', reject);
      session.on('close', () => reject(new Error('it closed the connection without an answer')));
      const request = session.request({ ':path': place.path, 'user-agent': 'nsv-probe' });
      let status = 0;
      let body = 0;
      request.on('response', (headers) => {
        status = Number(headers[':status']);
      });
      request.on('data', (bytes: Buffer) => {
        body += bytes.length;
        if (body >= enoughBody) resolve(status);
      });
      request.on('end', () => resolve(status));
      request.on('error', reject);
      request.end();
    });
  } finally {
    session.destroy();
  }
}

/** Bytes of the status line and the headers. */
const longestHead = 16 * 1024;
/** Bytes of the body after which it counts as an answer: what follows may have no end. */
const enoughBody = 10 * 1024;

/** Reads the answer to an HTTP/1 probe, as far as it is needed to know whether it is one, and no further. */
export class HttpAnswer {
  #head = Buffer.alloc(0);
  #status: number | undefined;
  /** Bytes of the body; Infinity if only its end shows how long it is. */
  #length = Number.POSITIVE_INFINITY;
  #body = 0;

  /** Returns the status when the answer is complete, or long enough. Throws an Error that says what is wrong with it. */
  read(bytes: Buffer): number | undefined {
    let rest = bytes;
    while (this.#status === undefined) {
      const before = this.#head.length;
      this.#head = Buffer.concat([this.#head, rest]);
      const end = this.#head.indexOf('\r\n\r\n', Math.max(0, before - 3));
      if (!looksLikeHttp(this.#head)) throw new Error('what it answered is not HTTP');
      if (end > longestHead || (end < 0 && this.#head.length > longestHead))
        throw new Error(`the headers of its answer are longer than ${longestHead / 1024} kB`);
      if (end < 0) return undefined;
      rest = this.#head.subarray(end + 4);
      this.#begin(this.#head.toString('latin1', 0, end));
      this.#head = Buffer.alloc(0);
    }
    this.#body += rest.length;
    return this.#body >= Math.min(this.#length, enoughBody) ? this.#status : undefined;
  }

  /** The server has closed the connection. */
  end(): number {
    if (this.#status === undefined) {
      throw new Error(
        this.#head.length > 0 ? 'its answer broke off in the headers' : 'it closed the connection without an answer',
      );
    }
    if (Number.isFinite(this.#length))
      throw new Error(`its answer broke off after ${this.#body} of ${this.#length} bytes`);
    return this.#status;
  }

  #begin(head: string): void {
    const status = Number(/^HTTP\/1\.[01] (\d{3})(?: |\r|$)/.exec(head)?.[1]);
    if (Number.isNaN(status)) throw new Error('what it answered is not HTTP');
    // Something like "100 Continue": the answer follows.
    if (status < 200) return;
    this.#status = status;
    const length = /\r\ncontent-length: *(\d+)/i.exec(head)?.[1];
    if (length !== undefined) this.#length = Number(length);
    if (status === 204 || status === 304) this.#length = 0;
  }
}

function looksLikeHttp(head: Buffer): boolean {
  const start = 'HTTP/1.';
  const begun = head.toString('latin1', 0, start.length);
  return start.startsWith(begun);
}
