// Sends an HTTP probe over a connection, and reads the answer. Node's client costs 2 MB, so it is loaded with the first probe.
import { isIP, type Socket } from 'node:net';
import type { ConnectionOptions, TLSSocket } from 'node:tls';
import type { ProbePlace } from '../../config/options/probe.ts';
import type { ServerSpeech } from '../../ipc/worker-messages.ts';
import type { ProbeAnswer } from './standing.ts';

/** Bytes after which no answer is expected any more. A server may send as fast as the daemon can read, and Node skips much of it. */
const mostBytes = 256 * 1024;
/** Milliseconds between two looks at them. */
const lookEvery = 10;
const endless = 'it kept sending without an answer';

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
  let look: NodeJS.Timeout | undefined;
  const flood = new Promise<never>((_resolve, reject) => {
    look = setInterval(() => socket.bytesRead > mostBytes && reject(new Error(endless)), lookEvery);
  });
  try {
    return answerOf(await Promise.race([statusOf(socket, place, speaks), flood]));
  } finally {
    clearInterval(look);
    abort.removeEventListener('abort', destroy);
    socket.destroy();
  }
}

async function statusOf(socket: Socket, place: ProbePlace, speaks: ServerSpeech): Promise<number> {
  const stream = place.scheme === 'https' ? await secured(socket, place) : socket;
  const isHttp2 = speaks === 'http2' || ('alpnProtocol' in stream && stream.alpnProtocol === 'h2');
  return isHttp2 ? statusOfHttp2(stream, place) : statusOfHttp1(stream, place);
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

function authorityOf({ host, port, socket }: Omit<ProbePlace, 'path'>): string {
  const name = host ?? (socket === undefined ? '127.0.0.1' : 'localhost');
  return `${isIP(name) === 6 ? `[${name}]` : name}${port === undefined ? '' : `:${port}`}`;
}

async function statusOfHttp1(stream: Socket, { path, ...place }: ProbePlace): Promise<number> {
  const { request } = await import('node:http');
  expectOpen(stream);
  return new Promise((resolve, reject) => {
    const headers = { Host: authorityOf(place), 'User-Agent': 'nsv-probe', Accept: '*/*', Connection: 'close' };
    // Only the status is read, so a server may be as lax about its headers as it likes.
    const asked = request({ createConnection: () => stream, path, headers, insecureHTTPParser: true });
    asked.on('information', limit(asked));
    asked.on('response', (response) => {
      const { statusCode = 0 } = response;
      let body = 0;
      response.on('data', (bytes: Buffer) => {
        body += bytes.length;
        if (body >= enoughBody) resolve(statusCode);
      });
      response.on('end', () => resolve(statusCode));
      response.on('error', () => reject(new Error(`its answer broke off after ${body} bytes`)));
    });
    asked.on('upgrade', ({ statusCode = 0 }) => resolve(statusCode));
    asked.on('error', (error: NodeJS.ErrnoException) => reject(new Error(whyUnanswered(error), { cause: error })));
    asked.end();
  });
}

/** The words of Node's parser say nothing to people. Its codes: https://github.com/nodejs/llhttp/blob/main/src/llhttp/constants.ts */
function whyUnanswered({ code = '', message }: NodeJS.ErrnoException): string {
  if (code === 'HPE_HEADER_OVERFLOW') return 'the headers of its answer are too long';
  if (code.startsWith('HPE_')) return 'what it answered is not HTTP';
  return message === 'socket hang up' ? 'it closed the connection without an answer' : message;
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
      const informed = limit(session);
      request.on('headers', informed);
      session.on('ping', () => status === 0 && informed());
      let status = 0;
      let body = 0;
      request.on('response', (headers) => {
        status = Number(headers[':status']);
      });
      request.on('data', (bytes: Buffer) => {
        body += bytes.length;
        if (body >= enoughBody) resolve(status);
      });
      request.on('end', () => status !== 0 && resolve(status));
      request.on('error', reject);
      request.end();
    });
  } finally {
    session.destroy();
  }
}

/** Bytes of the body after which it counts as an answer: what follows may have no end. */
const enoughBody = 10 * 1024;
/** Responses such as "100 Continue", of which a server may send several before its answer, and pings of HTTP/2. */
const mostInformation = 10;

/** Returns a function to call for each of them. What has already arrived is still read, so it may be called many more times. */
function limit(asked: { destroy(error: Error): unknown }): () => void {
  let count = 0;
  return () => {
    count += 1;
    if (count === mostInformation + 1) asked.destroy(new Error(endless));
  };
}
