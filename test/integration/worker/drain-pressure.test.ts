// What could still lose a request in a drain: everything that is half done when it begins.
import { once } from 'node:events';
import { connect } from 'node:tls';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { certificate } from '../../helpers/certificate.ts';
import { beginsDrain, bySignal, drain } from '../../helpers/draining.ts';
import { eventually } from '../../helpers/eventually.ts';
import { type FarAway, farAway } from '../../helpers/far-away.ts';
import { endsInTime, heldClock, passes } from '../../helpers/held-clock.ts';
import { freePort } from '../../helpers/http.ts';
import { kept, RawClient } from '../../helpers/raw-client.ts';
import { type App, socketStage } from '../../helpers/socket-stage.ts';
import { variants } from '../../helpers/variants.ts';

const stage = socketStage();
let secrets: string[];
let road: FarAway | undefined;
beforeAll(async () => {
  secrets = await certificate(stage.directory);
});
afterEach(() => road?.close());

async function serving(kind = 'http', env = {}): Promise<{ app: App; port: number }> {
  const port = await freePort();
  const [app] = await stage.group({ env }).startAll(1, 'drains.cjs', [kind, port, ...secrets]);
  return { app: app!, port };
}

const get = (path: string) => `GET ${path} HTTP/1.1\r\nHost: test\r\n\r\n`;
const statuses = (text: string) => text.match(/HTTP\/1.1 200/g);
const closes = (text: string) => text.match(/^connection: close/gim);

describe('a drain', () => {
  it('answers all requests of a packet whose last one is incomplete', async () => {
    const { app, port } = await serving();
    const client = await RawClient.open(port);
    client.says(`${get('/') + get('/')}POST /body HTTP/1.1\r\nHost: test\r\nContent-Length: 8\r\n\r\nhalf`);
    await app.prints(/asked[\s\S]*asked[\s\S]*asked/);
    await beginsDrain(app);
    client.says('half');
    expect(await client.over()).toBe('ended');
    expect([statuses(client.received)?.length, closes(client.received)?.length]).toEqual([3, 1]);
    expect(await app.ended).toEqual(bySignal);
  });

  it('answers all requests of one packet, the last one with "Connection: close"', async () => {
    const { app, port } = await serving();
    const client = await kept(port);
    await beginsDrain(app);
    client.says(get('/') + get('/body') + get('/'));
    expect(await client.over()).toBe('ended');
    expect([statuses(client.received)?.length, closes(client.received)?.length]).toEqual([3, 1]);
    expect(await app.ended).toEqual(bySignal);
  });

  it('answers what comes in one packet behind a request that is answered at once', async () => {
    const { app, port } = await serving();
    const client = await kept(port);
    await beginsDrain(app);
    client.says(get('/at-once') + get('/'));
    expect(await client.over()).toBe('ended');
    expect(statuses(client.received)).toHaveLength(2);
    expect(await app.ended).toEqual(bySignal);
  });

  it('leaves a response alone that the app has made without a connection', async () => {
    const { app, port } = await serving();
    const client = await kept(port);
    await beginsDrain(app);
    client.says(get('/in-memory'));
    await client.hears(/200 OK[\s\S]*\r\n\r\n\d+$/);
    expect(await app.ended).toEqual(bySignal);
  });

  it('waits for the other half of a header, however long the client is silent', async () => {
    const { app, port } = await serving();
    const client = await RawClient.open(port);
    client.says('GET / HTTP/1.1\r\nHos');
    const idle = await kept(port);
    await beginsDrain(app);
    await idle.over();
    client.says('t: test\r\n\r\n');
    await client.hears(/Connection: close\r\n[\s\S]*\r\n\r\n\d+/);
    expect(await app.ended).toEqual(bySignal);
  });

  it('still answers clients that have only connected when it closes idle ones', { tags: 'full' }, async () => {
    const { app, port } = await serving();
    const silent = await RawClient.open(port);
    const idle = await kept(port);
    await beginsDrain(app);
    await idle.over();
    silent.says(get('/'));
    await silent.hears(/Connection: close\r\n[\s\S]*\r\n\r\n\d+/);
    expect(await app.ended).toEqual(bySignal);
  });

  it.each([
    ['before', true],
    ['after', false],
  ])('accepts the body of a client that has sent "Expect: 100-continue" %s it began', async (_, isEarly) => {
    const { app, port } = await serving();
    const client = await kept(port);
    const head = 'POST /body HTTP/1.1\r\nHost: test\r\nExpect: 100-continue\r\nContent-Length: 16384\r\n\r\n';
    if (!isEarly) await beginsDrain(app);
    client.says(head);
    await client.hears(/100 Continue/);
    if (isEarly) await beginsDrain(app);
    client.says('x'.repeat(16_384));
    expect(await client.hears(/16384 \d+/)).toMatch(/200 OK[\s\S]*Connection: close/);
    expect(await app.ended).toEqual(bySignal);
  });

  it('answers each request of a distant client until one response says close', async () => {
    const { app, port } = await serving();
    road = await farAway(port, 40);
    const client = await RawClient.open(road.port);
    const answer = /^(HTTP[\s\S]*?\r\n\r\n)\d+$/;
    client.asks('/at-once');
    await client.hears(answer);
    client.forgets();
    client.asks('/at-once');
    await app.prints(/asked[\s\S]*asked/);
    // This answer is on its way, and says keep-alive.
    await beginsDrain(app);
    expect(closes(await client.hears(answer))).toBe(null);
    client.forgets();
    client.asks('/at-once');
    expect(closes(await client.hears(answer))).toHaveLength(1);
    expect(await app.ended).toEqual(bySignal);
  });

  it('leaves connections that it has not accepted to the successor, or answers them', async () => {
    const port = await freePort();
    const group = stage.group();
    const [app] = await group.startAll(1, 'drains.cjs', ['http', port]);
    app!.signal('SIGSTOP');
    const clients = await Promise.all(Array.from({ length: 20 }, () => RawClient.open(port)));
    for (const client of clients) client.says(get('/'));
    app!.send(drain);
    app!.signal('SIGCONT');
    expect(await app!.ended).toEqual(bySignal);
    const successor = group.start('drains.cjs', ['http', port], { slot: 1 });
    const pids = [app!.pid, successor.pid].join('|');
    await Promise.all(clients.map((client) => client.hears(new RegExp(`200 OK[^]*\r\n\r\n(${pids})$`))));
  });

  variants(['https', 'h2'])('finishes a TLS handshake that is half done, and answers: %s', async (kind) => {
    const { app, port } = await serving(kind);
    road = await farAway(port, 40);
    const socket = connect({ port: road.port, rejectUnauthorized: false });
    let text = '';
    socket.setEncoding('utf8').on('data', (chunk) => (text += chunk));
    const secured = once(socket, 'secureConnect');
    await road.answered;
    await beginsDrain(app);
    await secured;
    socket.write(get('/'));
    await eventually(() => /Connection: close\r\n[\s\S]*\r\n\r\n\d+/.test(text));
    expect(await app.ended).toEqual(bySignal);
  });

  it.each(['https', 'h2'])(
    'waits three seconds for clients that never begin a TLS handshake: %s',
    { tags: 'full' },
    async (kind) => {
      const { app, port } = await serving(kind, heldClock);
      const client = await RawClient.open(port);
      const served = connect({ port, rejectUnauthorized: false });
      await once(served, 'secureConnect');
      await beginsDrain(app);
      await passes(app, 2_900);
      expect(client.end).toBe('open');
      // Counted from the end of the other handshake, which the client sees before the server does.
      await passes(app, 200);
      expect(await client.over()).toBe('ended');
      expect(await endsInTime(app)).toEqual(bySignal);
    },
  );
});
