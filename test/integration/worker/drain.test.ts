import { describe, expect, it } from 'vitest';
import { beginsDrain, bySignal, drain } from '../../helpers/draining.ts';
import { endsInTime, heldClock, passes } from '../../helpers/held-clock.ts';
import { ask, freePort } from '../../helpers/http.ts';
import { kept, RawClient } from '../../helpers/raw-client.ts';
import { type App, socketStage } from '../../helpers/socket-stage.ts';

const stage = socketStage();

async function serving(script = 'drains.cjs'): Promise<{ app: App; port: number }> {
  const port = await freePort();
  const args = script === 'drains.cjs' ? ['http', port] : [port];
  const [app] = await stage.group().startAll(1, script, args);
  return { app: app!, port };
}

/** Time passes for it only when the test says so. */
async function held(): Promise<{ app: App; port: number }> {
  const port = await freePort();
  const [app] = await stage.group({ env: heldClock }).startAll(1, 'drains.cjs', ['http', port]);
  return { app: app!, port };
}

describe('an app that drains', () => {
  it('ends at once by the signal when no client is connected', async () => {
    // Not after the second for which a client may be quiet: no time passes at all.
    const { app } = await held();
    await beginsDrain(app);
    expect(await app.ended).toEqual(bySignal);
  });

  it('does not report the sockets that this closes', async () => {
    const { app } = await serving();
    await beginsDrain(app);
    await app.ended;
    expect(app.received.map(({ type }) => type)).not.toContain('closed');
  });

  it('answers on an idle connection with "Connection: close"', async () => {
    const { app, port } = await serving();
    const client = await kept(port);
    await beginsDrain(app);
    client.asks('/');
    expect(await client.hears(/\r\n\r\n\d+/)).toMatch(/^HTTP\/1.1 200[\s\S]*\r\nConnection: close\r\n/);
    expect(await client.over()).toBe('ended');
    expect(await app.ended).toEqual(bySignal);
  });

  it('answers on a connection that has sent nothing yet', async () => {
    const { app, port } = await serving();
    const [client, served] = [await RawClient.open(port), await kept(port)];
    await beginsDrain(app);
    client.asks('/');
    await client.hears(/Connection: close\r\n[\s\S]*\r\n\r\n\d+/);
    served.leaves();
    expect(await app.ended).toEqual(bySignal);
  });

  it('closes idle connections after a quiet second, and silent ones after three', async () => {
    const { app, port } = await held();
    const [silent, served] = [await RawClient.open(port), await kept(port)];
    await beginsDrain(app);
    await passes(app, 900);
    expect([silent.end, served.end]).toEqual(['open', 'open']);
    await passes(app, 100);
    expect([silent.end, await served.over()]).toEqual(['open', 'ended']);
    await passes(app, 1_900);
    expect(silent.end).toBe('open');
    await passes(app, 100);
    expect(await silent.over()).toBe('ended');
    expect(await endsInTime(app)).toEqual(bySignal);
  });

  it('keeps idle connections as long as others are active', async () => {
    const { app, port } = await held();
    const [idle, busy] = [await kept(port), await RawClient.open(port)];
    busy.says('POST /body HTTP/1.1\r\nHost: test\r\nContent-Length: 4\r\n\r\n');
    await app.prints(/asked \/body/);
    await beginsDrain(app);
    for (let count = 0; count < 3; count += 1) {
      busy.says('x');
      await passes(app, 900);
    }
    expect(idle.end).toBe('open');
    busy.says('x');
    expect(await busy.hears(/4 \d+/)).toContain('Connection: close');
    await passes(app, 1_000);
    expect(await idle.over()).toBe('ended');
  });

  it('finishes a long response', async () => {
    const { app, port } = await serving();
    const answer = ask(port, { path: '/stream' });
    await app.prints(/asked \/stream/);
    await beginsDrain(app);
    expect(await answer).toMatchObject({ ok: true, body: expect.stringMatching(/^begin[\s\S]*1 [\s\S]*9 [\s\S]*end/) });
    expect(await app.ended).toEqual(bySignal);
  });

  it("turns the app's own keep-alive into close, and leaves its other headers alone", async () => {
    const { app, port } = await serving();
    const client = await kept(port);
    await beginsDrain(app);
    client.asks('/head');
    const answer = await client.hears(/\r\n\r\n[\s\S]*\d/);
    expect(answer.match(/^connection:.*$/gim)).toEqual(['Connection: close']);
    expect(answer).toContain('X-Own: kept');
    expect(await client.over()).toBe('ended');
  });

  it('reads a request to its end that it has answered early', async () => {
    const { app, port } = await serving();
    const [client, other] = [await kept(port), await kept(port)];
    await beginsDrain(app);
    client.says('POST /at-once HTTP/1.1\r\nHost: test\r\nContent-Length: 8\r\n\r\nhalf');
    await client.hears(/Connection: close[\s\S]*\r\n\r\n\d+/);
    other.asks('/');
    await other.hears(/\r\n\r\n\d+/);
    expect(client.end).toBe('open');
    client.says('half');
    expect(await client.over()).toBe('ended');
    expect(await app.ended).toEqual(bySignal);
  });

  it('leaves upgraded connections until they end', async () => {
    const { app, port } = await serving();
    const [socket, idle] = [await RawClient.open(port), await kept(port)];
    socket.asks('/', 'Connection: Upgrade', 'Upgrade: echo');
    await socket.hears(/101 Switching/);
    await beginsDrain(app);
    expect(await idle.over()).toBe('ended');
    socket.says('still there?');
    await socket.hears(/still there\?/);
    socket.leaves();
    expect(await app.ended).toEqual(bySignal);
  });

  it('reports how many requests are in flight', async () => {
    const { app, port } = await serving();
    const clients = [await RawClient.open(port), await RawClient.open(port), await kept(port)];
    for (const client of clients.slice(0, 2)) client.asks('/hold');
    await app.prints(/asked \/hold[\s\S]*asked \/hold/);
    await beginsDrain(app);
    expect(await app.nextMessage('in-flight')).toMatchObject({ count: 2 });
  });

  it('may exit in the middle of the drain', async () => {
    const { app, port } = await serving();
    const client = await kept(port);
    await beginsDrain(app);
    client.asks('/exit');
    expect(await app.ended).toEqual({ code: 7, signal: null });
  });

  it('is simply signalled if it does not listen', async () => {
    const app = stage.group().start('queue.cjs');
    await app.prints(/works/);
    await beginsDrain(app);
    expect(await app.ended).toEqual(bySignal);
  });

  it('may have its own cluster', async () => {
    const app = stage.group().start('own-cluster.cjs', [await freePort()]);
    await app.prints(/worker \d+\nworker \d+/);
    await beginsDrain(app);
    expect(await app.ended).toEqual({ code: 0, signal: null });
  });
});

describe('an app that shuts itself down', () => {
  it.each([
    ['the signal', false, 'SIGTERM'],
    ['a message', true, 'shutdown'],
  ])('gets %s, and closes its server as usual', async (_, message, why) => {
    const { app, port } = await serving('drains-itself.cjs');
    const client = await kept(port);
    app.send({ ...drain, message });
    await app.prints(new RegExp(`${why} true ${port}`));
    expect(await client.over()).toBe('ended');
    expect(await app.ended).toEqual({ code: 3, signal: null });
    expect(app.output().match(/close event|closed undefined/g)).toEqual(['close event', 'closed undefined']);
  });

  it('answers requests that are on their way when it closes', async () => {
    const { app, port } = await serving('drains-itself.cjs');
    const client = await kept(port);
    // Half of it is over before the client has been quiet for long enough to be sent away first.
    app.send({ ...drain, killTimeout: 200 });
    await app.prints(/SIGTERM true/);
    client.asks('/');
    expect(await client.hears(/\r\n\r\n\d+/)).toContain('Connection: close');
    expect(await app.ended).toEqual({ code: 3, signal: null });
  });
});
