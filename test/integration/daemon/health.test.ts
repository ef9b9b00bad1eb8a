import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Registry } from '../../../src/daemon/apps/registry.ts';
import { type HealthOptions, type HealthServer, startHealth } from '../../../src/daemon/control/health.ts';
import { FakeWorld } from '../../helpers/fake-host.ts';
import { until } from '../../helpers/launched.ts';
import { probe } from '../../helpers/probe.ts';
import { RawClient } from '../../helpers/raw-client.ts';

let world: FakeWorld;
let registry: Registry;
let isStopping: boolean;
let servers: HealthServer[];

beforeEach(async () => {
  world = new FakeWorld();
  registry = new Registry();
  registry.add(await world.running({ instances: 2 }));
  isStopping = false;
  servers = [];
});
afterEach(() => Promise.all(servers.map((server) => server.close())));

async function serving(limits: HealthOptions['limits'] = {}): Promise<number> {
  const server = await startHealth({ port: 0, registry, isStopping: () => isStopping, limits });
  servers.push(server);
  return server.port;
}

async function codes(port: number): Promise<(number | undefined)[]> {
  const answers = await Promise.all(['/live', '/ready', '/health'].map((path) => probe(port, path)));
  return answers.map(({ code }) => code);
}

describe('the probes', () => {
  it('are good while the app is, and tell how it stands', async () => {
    const port = await serving();
    expect(await codes(port)).toEqual([200, 200, 200]);
    const { headers, text } = await probe(port, '/health');
    expect(headers).toMatchObject({ 'content-type': 'application/json', 'cache-control': 'no-store' });
    expect(JSON.parse(text)).toEqual({
      status: 'ready',
      apps: [{ name: 'web', wanted: 2, ready: 2, status: 'online', restarts: 0, giveup: null }],
    });
  });

  it('are good while one instance is left, and tell what is missing', async () => {
    const port = await serving();
    world.children[0]!.exits(1);
    expect(await codes(port)).toEqual([200, 200, 200]);
    const { text } = await probe(port, '/ready?verbose');
    expect(JSON.parse(text)).toMatchObject({
      status: 'degraded',
      apps: [{ ready: 1, status: 'degraded', restarts: 1 }],
    });
  });

  it('tell readiness from life when no instance is ready', async () => {
    const port = await serving();
    for (const child of world.living) child.exits(1);
    expect(await codes(port)).toEqual([200, 503, 503]);
  });

  it('tell readiness from life while everything is being stopped', async () => {
    const port = await serving();
    isStopping = true;
    expect(await codes(port)).toEqual([200, 503, 503]);
  });

  it('answer HEAD with the same head and no body', async () => {
    const port = await serving();
    const [get, head] = await Promise.all([probe(port, '/ready'), probe(port, '/ready', 'HEAD')]);
    expect(head).toMatchObject({ code: 200, text: '' });
    expect(head.headers['content-length']).toBe(String(get.text.length));
  });

  it.each(['/', '/ready/', '/readyz', '/__proto__', '/live%00', '//ready'])('know no other path: %s', async (path) => {
    const { code, text } = await probe(await serving(), path);
    expect(code).toBe(404);
    expect(JSON.parse(text).error).toContain('/live, /ready, /health');
  });

  it.each(['POST', 'PUT', 'DELETE', 'OPTIONS'])('cannot be asked by %s', async (method) => {
    const { code, headers } = await probe(await serving(), '/ready', method);
    expect(code).toBe(405);
    expect(headers.allow).toBe('GET, HEAD');
  });

  it('do not start on a port that is in use, and say which', async () => {
    const port = await serving();
    const again = startHealth({ port, registry, isStopping: () => false });
    await expect(again).rejects.toMatchObject({
      code: 'CANNOT_LISTEN',
      message: expect.stringMatching(new RegExp(`^failed to listen on port ${port} for probes: .*EADDRINUSE`)),
    });
  });
});

describe('a client of the probes', () => {
  it('gets one answer for each connection', async () => {
    const client = await RawClient.open(await serving());
    client.asks('/live', 'Connection: keep-alive');
    expect(await client.hears(/\r\n\r\n\{/)).toMatch(/^HTTP\/1.1 200 OK[\s\S]*\r\nConnection: close\r\n/);
    expect(await client.over()).toBe('ended');
  });

  it('has to go when its time is over, however busy it looks', async () => {
    const client = await RawClient.open(await serving({ time: 200, head: 65_536 }));
    client.says('GET /live HTTP/1.1\r\nX-More: ');
    const drip = setInterval(() => client.says('x'), 10);
    expect(await client.over().finally(() => clearInterval(drip))).toMatch(/ended|ECONNRESET|EPIPE/);
  });

  it('cannot send a head of any size', async () => {
    const client = await RawClient.open(await serving({ head: 1_024 }));
    client.asks('/live', `X-Long: ${'x'.repeat(4_096)}`);
    expect(await client.hears(/\r\n\r\n/)).toMatch(/^HTTP\/1.1 431 /);
  });

  it('that speaks something else is told so', async () => {
    const client = await RawClient.open(await serving());
    client.says('\x16\x03\x01 not HTTP\r\n\r\n');
    expect(await client.hears(/\r\n\r\n/)).toMatch(/^HTTP\/1.1 400 /);
    expect(await client.over()).toBe('ended');
  });

  it('is served although a thousand silent ones are there, of which the oldest had to go', async () => {
    const port = await serving({ connections: 100, time: 60_000 });
    const silent = await Promise.all(Array.from({ length: 1_000 }, () => RawClient.open(port)));
    expect((await probe(port, '/live')).code).toBe(200);
    await until(() => silent.filter(({ end }) => end === 'open').length <= 100);
    expect(silent.some(({ end }) => end === 'open')).toBe(true);
    expect(silent[0]!.end).not.toBe('open');
  });

  it('is not waited for when the probes end', async () => {
    const port = await serving({ time: 600_000 });
    const clients = await Promise.all([RawClient.open(port), RawClient.open(port)]);
    clients[0]!.says('GET /live');
    // Answered last, so the others have been accepted.
    await probe(port, '/live');
    await servers[0]!.close();
    for (const client of clients) expect(await client.over()).toMatch(/ended|ECONNRESET/);
  });
});
