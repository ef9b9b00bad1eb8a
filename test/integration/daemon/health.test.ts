import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Registry } from '../../../src/daemon/apps/registry.ts';
import { type HealthOptions, type HealthServer, startHealth } from '../../../src/daemon/control/health.ts';
import { createHealthReport } from '../../../src/daemon/control/health-report.ts';
import { eventually } from '../../helpers/eventually.ts';
import { FakeWorld } from '../../helpers/fake-host.ts';
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
  const look = createHealthReport(registry, { isStopping: () => isStopping });
  const server = await startHealth({ port: 0, look, limits });
  servers.push(server);
  return server.port;
}

async function codes(port: number): Promise<(number | undefined)[]> {
  const answers = await Promise.all(['/live', '/ready', '/ready/web', '/health'].map((path) => probe(port, path)));
  return answers.map(({ code }) => code);
}

async function codeOf(port: number, path: string): Promise<number | undefined> {
  return (await probe(port, path)).code;
}

describe('the probes', () => {
  it('succeed while the app is ready, and report its state', async () => {
    const port = await serving();
    expect(await codes(port)).toEqual([200, 200, 200, 200]);
    const { headers, text } = await probe(port, '/health');
    expect(headers).toMatchObject({ 'content-type': 'application/json', 'cache-control': 'no-store' });
    expect(JSON.parse(text)).toEqual({
      status: 'ready',
      live: true,
      started: true,
      apps: [{ name: 'web', wanted: 2, ready: 2, status: 'online', restarts: 0, giveup: null }],
    });
  });

  it('succeed while one instance is left, and report what is missing', async () => {
    const port = await serving();
    world.children[0]!.exits(1);
    expect(await codes(port)).toEqual([200, 200, 200, 200]);
    const { text } = await probe(port, '/ready?verbose');
    expect(JSON.parse(text)).toMatchObject({
      status: 'degraded',
      apps: [{ ready: 1, status: 'degraded', restarts: 1 }],
    });
  });

  it('distinguish readiness from liveness when no instance is ready', async () => {
    const port = await serving();
    for (const child of world.living) child.exits(1);
    expect(await codes(port)).toEqual([200, 503, 503, 503]);
  });

  it('distinguish readiness from liveness while everything is being stopped', async () => {
    const port = await serving();
    isStopping = true;
    expect(await codes(port)).toEqual([200, 503, 503, 503]);
  });

  it('cover a single app on request', async () => {
    registry.add(world.group({ name: 'a job/of mine' }));
    const port = await serving();
    expect(await codeOf(port, '/ready')).toBe(503);
    const { code, text } = await probe(port, '/ready/web');
    expect(code).toBe(200);
    expect(JSON.parse(text)).toMatchObject({ status: 'unready', apps: [{ name: 'web', ready: 2 }] });
    expect(await codeOf(port, '/ready/a%20job%2Fof%20mine')).toBe(503);
    expect(await probe(port, '/ready/other')).toMatchObject({ code: 404, text: expect.stringContaining('no app') });
  });

  it('report that the start is over, even when an app is no longer ready', async () => {
    const port = await serving();
    expect(await codeOf(port, '/startup')).toBe(200);
    for (const child of world.living) child.exits(1);
    expect(await codeOf(port, '/startup')).toBe(200);
    expect(await codeOf(await serving(), '/startup')).toBe(503);
  });

  it('fail liveness once an app is given up', async () => {
    const hopeless = new FakeWorld();
    registry.add(await hopeless.running({ name: 'worker', maxRestarts: 0 }));
    const port = await serving();
    expect(await codeOf(port, '/live')).toBe(200);
    hopeless.living[0]!.exits(1);
    expect(await codeOf(port, '/live')).toBe(503);
  });

  it('fail with the reason when the state is unknown', async () => {
    const server = await startHealth({ port: 0, look: () => Promise.reject(new Error('no daemon')) });
    servers.push(server);
    expect(await probe(server.port, '/live')).toMatchObject({ code: 503, text: '{"error":"no daemon"}\n' });
  });

  it('answer HEAD with the same head and no body', async () => {
    const port = await serving();
    const [get, head] = await Promise.all([probe(port, '/ready'), probe(port, '/ready', 'HEAD')]);
    expect(head).toMatchObject({ code: 200, text: '' });
    expect(head.headers['content-length']).toBe(String(get.text.length));
  });

  it.each(['/', '/ready/', '/readyz', '/__proto__', '/live%00', '//ready', '/ready/%', '/ready/a/b'])(
    'answer any other path with 404: %s',
    async (path) => {
      const { code, text } = await probe(await serving(), path);
      expect(code).toBe(404);
      expect(JSON.parse(text).error).toContain('/live, /startup, /ready, /health, /ready/<app>');
    },
  );

  it.each(['POST', 'PUT', 'DELETE', 'OPTIONS'])('reject %s', async (method) => {
    const { code, headers } = await probe(await serving(), '/ready', method);
    expect(code).toBe(405);
    expect(headers.allow).toBe('GET, HEAD');
  });

  it('fail to start on a port that is in use, and name it', async () => {
    const port = await serving();
    const again = startHealth({ port, look: () => Promise.reject(new Error('unused')) });
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

  it('is disconnected when its time is over, even while it is sending', async () => {
    const client = await RawClient.open(await serving({ time: 200, head: 65_536 }));
    client.says('GET /live HTTP/1.1\r\nX-More: ');
    const drip = setInterval(() => client.says('x'), 10);
    expect(await client.over().finally(() => clearInterval(drip))).toMatch(/ended|ECONNRESET|EPIPE/);
  });

  it('is refused when its head is too large', async () => {
    const client = await RawClient.open(await serving({ head: 1_024 }));
    client.asks('/live', `X-Long: ${'x'.repeat(4_096)}`);
    expect(await client.hears(/\r\n\r\n/)).toMatch(/^HTTP\/1.1 431 /);
  });

  it('is refused when it does not speak HTTP', async () => {
    const client = await RawClient.open(await serving());
    client.says('\x16\x03\x01 not HTTP\r\n\r\n');
    expect(await client.hears(/\r\n\r\n/)).toMatch(/^HTTP\/1.1 400 /);
    expect(await client.over()).toBe('ended');
  });

  it('is served beside a thousand silent ones, the oldest of which are dropped', { tags: 'full' }, async () => {
    const port = await serving({ connections: 100, time: 60_000 });
    const silent = await Promise.all(Array.from({ length: 1_000 }, () => RawClient.open(port)));
    expect((await probe(port, '/live')).code).toBe(200);
    await eventually(() => silent.filter(({ end }) => end === 'open').length <= 100);
    expect(silent.some(({ end }) => end === 'open')).toBe(true);
    expect(silent[0]!.end).not.toBe('open');
  });

  it('does not delay the end of the probes', async () => {
    const port = await serving({ time: 600_000 });
    const clients = await Promise.all([RawClient.open(port), RawClient.open(port)]);
    clients[0]!.says('GET /live');
    // Answered last, so the others have been accepted.
    await probe(port, '/live');
    await servers[0]!.close();
    for (const client of clients) expect(await client.over()).toMatch(/ended|ECONNRESET/);
  });
});
