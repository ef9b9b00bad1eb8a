import { connect } from 'node:http2';
import { text } from 'node:stream/consumers';
import { beforeAll, describe, expect, it } from 'vitest';
import { certificate } from '../../helpers/certificate.ts';
import { beginsDrain } from '../../helpers/draining.ts';
import { freePort } from '../../helpers/http.ts';
import { type App, socketStage } from '../../helpers/socket-stage.ts';
import { describeVariants } from '../../helpers/variants.ts';
import { request } from '../../helpers/visitors.ts';

const stage = socketStage();
let files: string[];
beforeAll(async () => {
  files = await certificate(stage.directory);
});

type Client = (port: number, count: number) => Promise<void>;

/** One after another, on a connection each. */
function http1(secure: boolean): Client {
  return async (port, count) => {
    for (let sent = 0; sent < count; sent += 1) await request({ port, secure, path: '/at-once' });
  };
}

/** All on one connection. */
function http2(scheme: 'http' | 'https'): Client {
  return async (port, count) => {
    const session = connect(`${scheme}://localhost:${port}`, { rejectUnauthorized: false });
    const streams = Array.from({ length: count }, () => session.request({ ':path': '/at-once' }));
    await Promise.all(streams.map((stream) => text(stream)));
    session.close();
  };
}

const servers: [string, string, Client][] = [
  ['http', 'http', http1(false)],
  ['https', 'https', http1(true)],
  ['http2', 'http2', http2('http')],
  ['http2 over TLS', 'h2', http2('https')],
  ['HTTP/1 of an http2 server', 'h2', http1(true)],
];

/** As the daemon does it: the greeting is there before the app begins. */
async function serving(kind: string, maxRequests: number): Promise<{ app: App; port: number }> {
  const port = await freePort();
  const app = stage.group().start('drains.cjs', [kind, port, ...files]);
  app.send({ type: 'hello', drainOnCrash: true, killTimeout: 5000, maxRequests, wantedErrors: [] });
  await app.listens;
  return { app, port };
}

/** What it has told before it answers the request to leave. */
async function reportsOf(app: App): Promise<object[]> {
  await beginsDrain(app);
  return app.received.filter(({ type }) => type === 'request-limit');
}

describeVariants(servers)('a process with a limit of requests: %s', (_, kind, send) => {
  it('reports it once when it is reached, and keeps answering', async () => {
    const { app, port } = await serving(kind, 3);
    await send(port, 7);
    expect(await reportsOf(app)).toMatchObject([{ requests: 3 }]);
  });

  it('reports nothing before it is reached', async () => {
    const { app, port } = await serving(kind, 3);
    await send(port, 2);
    expect(await reportsOf(app)).toEqual([]);
  });
});

describe('a process without a limit of requests', () => {
  it('counts nothing and reports nothing', async () => {
    const { app, port } = await serving('http', 0);
    expect(await request({ port, path: '/watched' })).toBe('false');
    expect(await reportsOf(app)).toEqual([]);
  });
});
