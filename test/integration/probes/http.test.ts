// HTTP probes against servers that answer as no server should.
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer as createHttp2Server } from 'node:http2';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { createServer as createTlsServer } from 'node:tls';
import { afterEach, describe, expect, it } from 'vitest';
import { probe, probePlaceOf } from '../../../src/config/options/probe.ts';
import type { Child } from '../../../src/daemon/launch/launcher.ts';
import { askProbe } from '../../../src/daemon/probes/ask.ts';
import { askHttp } from '../../../src/daemon/probes/http.ts';
import type { ServerSpeech } from '../../../src/ipc/worker-messages.ts';
import { certificate } from '../../helpers/certificate.ts';
import { eventually } from '../../helpers/eventually.ts';

let server: Server | undefined;
const accepted: Socket[] = [];

afterEach(() => {
  for (const socket of accepted.splice(0)) socket.destroy();
  server?.close();
});

/** The server answers each connection like this, once it has got a request. */
async function listening(
  answer: (socket: Socket) => void,
  create: typeof createServer = createServer,
): Promise<number> {
  server = create((socket) => {
    accepted.push(socket);
    socket.on('error', () => {});
    socket.once('data', () => answer(socket));
  });
  server.listen(0);
  await once(server, 'listening');
  return (server.address() as { port: number }).port;
}

async function probed(
  port: number,
  { scheme = 'http', speaks = 'any' as ServerSpeech, abort = new AbortController().signal } = {},
): Promise<string> {
  const place = probePlaceOf(probe(`${scheme}://:${port}/`))!;
  return askHttp(connect(port), place, speaks, abort).then(
    (answer) => (answer.ok ? 'ok' : answer.why),
    (error: Error) => error.message,
  );
}

describe('an HTTP probe', () => {
  it.each([
    ['HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok', 'ok'],
    ['HTTP/1.0 204\r\n\r\n', 'ok'],
    ['HTTP/1.1 200 OK\r\nX-Odd: a\u0001b\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n', 'ok'],
    ['HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 503 No\r\nContent-Length: 0\r\n\r\n', 'it answered with status 503'],
    ['HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n', 'it answered with status 101'],
    [`${'HTTP/1.1 103 Early Hints\r\n\r\n'.repeat(9)}HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n`, 'ok'],
    ['HTTP/1.1 301 Moved\r\nLocation: http://example.com\r\nContent-Length: 0\r\n\r\n', 'ok'],
    ['HTTP/1.1 404 No\r\nContent-Length: 0\r\n\r\n', 'it answered with status 404'],
    ['HTTP/1.1 503 No\r\nContent-Length: 0\r\n\r\n', 'it answered with status 503'],
    ['HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\nhalf', 'its answer broke off after 4 bytes'],
    ['HTTP/1.1 2', 'it closed the connection without an answer'],
    ['', 'it closed the connection without an answer'],
    ['hello\r\n', 'what it answered is not HTTP'],
  ])('judges the answer %j as: %s', async (text, expected) => {
    expect(await probed(await listening((socket) => socket.end(text)))).toBe(expected);
  });

  /** Of HTTP/2, without content: its length in three bytes, its type, its flags, and the stream in four bytes. */
  const frame = (type: number) => String.fromCharCode(0, 0, 0, type, 0, 0, 0, 0, 0);

  it.each<[string, ServerSpeech, string, string]>([
    ['empty lines', 'any', '', '\r\n'],
    ['100 Continue', 'any', '', 'HTTP/1.1 100 Continue\r\n\r\n'],
    ['frames of a kind that HTTP/2 does not know', 'http2', frame(4), frame(0xff)],
  ])('gives up if nothing but %s arrives, without end', async (_, speaks, first, text) => {
    const flood = Buffer.from(text.repeat(2_000), 'latin1');
    const port = await listening((socket) => {
      socket.write(first, 'latin1');
      const more = () => {
        while (socket.write(flood));
      };
      socket.on('drain', more);
      more();
    });
    expect(await probed(port, { speaks })).toBe('it kept sending without an answer');
  });

  it('gives up on an HTTP/2 server that only informs, without end', async () => {
    const streams = createHttp2Server();
    streams.on('stream', (stream) => {
      stream.on('error', () => {});
      const more = () => {
        for (let count = 0; !stream.destroyed && count < 50; count += 1) stream.additionalHeaders({ ':status': 103 });
        if (!stream.destroyed) setImmediate(more);
      };
      more();
    });
    const port = await listening(
      () => {},
      () => streams as unknown as Server,
    );
    expect(await probed(port, { speaks: 'http2' })).toBe('it kept sending without an answer');
  });

  it('does not wait for the end of an endless answer, and closes the connection', async () => {
    const port = await listening((socket) => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n');
      const more = () => socket.write('x'.repeat(1_000)) || socket.once('drain', more);
      const timer = setInterval(more, 1);
      socket.on('close', () => clearInterval(timer));
    });
    expect(await probed(port)).toBe('ok');
    await eventually(() => accepted.every(({ destroyed }) => destroyed));
  });

  it.each([
    [200, 'ok'],
    [503, 'it answered with status 503'],
  ])('does not wait for the end of an endless answer over HTTP/2 either: %i', async (status, expected) => {
    const streams = createHttp2Server();
    streams.on('stream', (stream) => {
      stream.on('error', () => {});
      stream.respond({ ':status': status });
      const more = () => stream.write('x'.repeat(5_000), () => stream.destroyed || more());
      more();
    });
    const port = await listening(
      () => {},
      () => streams as unknown as Server,
    );
    expect(await probed(port, { speaks: 'http2' })).toBe(expected);
  });

  it('fails on endless headers', async () => {
    const port = await listening((socket) => {
      socket.write('HTTP/1.1 200 OK\r\n');
      const timer = setInterval(() => socket.write(`X-More: ${'x'.repeat(1_000)}\r\n`), 1);
      socket.on('close', () => clearInterval(timer));
    });
    expect(await probed(port)).toBe('the headers of its answer are too long');
  });

  it('gives no result for a process whose channel was lost with the connection', async () => {
    const port = await listening((socket) => socket.destroy());
    const asked = (taken: boolean | undefined) => {
      const connected = async () => ({ socket: connect(port), taken: Promise.resolve(taken) });
      const probing = { serversOf: () => [{ key: '', speaks: 'any' as const }], connect: connected };
      const child = { plan: { spec: { node: true } } } as unknown as Child;
      const asking = { probing, control: {} as never, mayBeAway: () => false };
      return askProbe(probe(`http://:${port}/`), child, asking, new AbortController().signal);
    };
    expect(await asked(undefined)).toBeUndefined();
    await expect(asked(true)).rejects.toThrow('it closed the connection without an answer');
  });

  it('closes its connection when it is aborted', async () => {
    const port = await listening(() => {});
    const abort = new AbortController();
    const asked = probed(port, { abort: abort.signal });
    await eventually(() => accepted.length === 1);
    abort.abort();
    expect(await asked).toBe('it closed the connection without an answer');
    await eventually(() => accepted[0]!.destroyed);
  });

  it('reports that TLS failed', async () => {
    const port = await listening((socket) => socket.end('not TLS at all\r\n'));
    expect(await probed(port, { scheme: 'https' })).toMatch(/^TLS: /);
  });

  it('ends when it is aborted during a TLS handshake, which a blocked process never finishes', async () => {
    const port = await listening(() => {});
    const abort = new AbortController();
    const asked = probed(port, { scheme: 'https', abort: abort.signal });
    await eventually(() => accepted.some(({ bytesRead }) => bytesRead > 0));
    abort.abort();
    expect(await asked).toBe('TLS: the connection was closed during the handshake');
  });

  it('fails on a connection that is already closed', async () => {
    const port = await listening(() => {});
    const socket = connect(port);
    await once(socket.destroy(), 'close');
    const place = probePlaceOf(probe('https://:1/'))!;
    await expect(askHttp(socket, place, 'any', new AbortController().signal)).rejects.toThrow(/without an answer/);
  });

  it('does not verify certificates', async () => {
    const directory = mkdtempSync(`${tmpdir()}/nsv-`);
    const [key, cert] = (await certificate(directory)).map((file) => readFileSync(file));
    rmSync(directory, { recursive: true });
    const create = (listener: (socket: Socket) => void) => createTlsServer({ key: key!, cert: cert! }, listener);
    const port = await listening(
      (socket) => socket.end('HTTP/1.0 200\r\n\r\n'),
      create as unknown as typeof createServer,
    );
    expect(await probed(port, { scheme: 'https' })).toBe('ok');
  });
});
