// Idle connections of a process that drains while others serve: requests may be on their way on them.
import { describe, expect, it } from 'vitest';
import { beginsDrain, bySignal } from '../../helpers/draining.ts';
import { heldClock, passes } from '../../helpers/held-clock.ts';
import { freePort } from '../../helpers/http.ts';
import { kept, RawClient } from '../../helpers/raw-client.ts';
import { type App, socketStage } from '../../helpers/socket-stage.ts';

const stage = socketStage();

/** Milliseconds for which Node keeps idle connections: no test takes so long. */
const endless = { KEEP_ALIVE: '600000' };

interface Serving {
  app: App;
  port: number;
}

/** Time passes for it only when the test says so, but not for what Node does by itself. */
async function held(script = 'drains.cjs', words: unknown[] = ['http']): Promise<Serving> {
  const port = await freePort();
  const [app] = await stage.group({ env: { ...heldClock, ...endless } }).startAll(1, script, [...words, port]);
  return { app: app!, port };
}

const begins = (app: App, settings: object = {}) => beginsDrain(app, { othersServe: true, ...settings });

const reports = ({ received }: App) => received.filter(({ type }) => type === 'only-idle-left');

describe('a process that drains while others serve', () => {
  it('keeps idle connections until half a second before the kill timeout, and silent ones too', async () => {
    const { app, port } = await held();
    const [silent, idle] = [await RawClient.open(port), await kept(port)];
    await begins(app);
    await passes(app, 4_450);
    expect([silent.end, idle.end]).toEqual(['open', 'open']);
    await passes(app, 50);
    expect([await silent.over(), await idle.over()]).toEqual(['ended', 'ended']);
    await passes(app, 50);
    expect(await app.ended).toEqual(bySignal);
  });

  it('answers requests on idle connections with "Connection: close"', async () => {
    const { app, port } = await held();
    const clients = [await kept(port), await kept(port)];
    await begins(app);
    for (const client of clients) {
      await passes(app, 2_000);
      client.asks('/at-once');
      expect(await client.hears(/\r\n\r\n\d+/)).toMatch(/^HTTP\/1.1 200[\s\S]*\r\nConnection: close\r\n/);
      await passes(app, 50);
      expect(await client.over()).toBe('ended');
    }
    await passes(app, 50);
    expect(await app.ended).toEqual(bySignal);
  });

  it('leaves idle connections to Node, which closes each at its keep-alive timeout', { tags: 'full' }, async () => {
    const ports = [await freePort(), await freePort()];
    const [app] = await stage.group().startAll(1, 'keep-alives.cjs', [ports, [1_500, 600_000]]);
    const [short, long] = [await kept(ports[0]!), await kept(ports[1]!)];
    await begins(app!, { killTimeout: 600_000 });
    expect(await short.over()).toBe('ended');
    expect(long.end).toBe('open');
    long.asks('/');
    expect(await long.hears(/\r\n\r\n\d+/)).toContain('Connection: close');
    expect(await app!.ended).toEqual(bySignal);
  });

  it('closes idle connections after half of a kill timeout that is shorter than a second', async () => {
    const { app, port } = await held();
    const idle = await kept(port);
    await begins(app, { killTimeout: 600 });
    await passes(app, 250);
    expect(idle.end).toBe('open');
    await passes(app, 50);
    expect(await idle.over()).toBe('ended');
  });

  it('reports after the first second that only idle connections are left, even if their clients stay active', async () => {
    const { app, port } = await held();
    const [first, second, idle] = [await kept(port), await kept(port), await kept(port)];
    await begins(app);
    for (const client of [first, second]) {
      client.asks('/at-once');
      await client.hears(/Connection: close/);
      await passes(app, 450);
    }
    expect(reports(app)).toEqual([]);
    await passes(app, 150);
    await app.nextMessage('only-idle-left');
    expect(idle.end).toBe('open');
  });

  it('reports that once, when it has answered its pending requests', async () => {
    const { app, port } = await held();
    const [busy, idle] = [await kept(port), await kept(port)];
    busy.says('POST /body HTTP/1.1\r\nHost: test\r\nContent-Length: 4\r\n\r\n');
    await app.prints(/asked \/body/);
    await begins(app);
    await passes(app, 1_500);
    expect(reports(app)).toEqual([]);
    busy.says('half');
    await busy.hears(/Connection: close\r\n[\s\S]*\r\n\r\n4 \d+/);
    await passes(app, 50);
    await app.nextMessage('only-idle-left');
    await passes(app, 1_000);
    expect([idle.end, reports(app).length]).toEqual(['open', 1]);
  });

  it('reports nothing while it has other connections', async () => {
    const { app, port } = await held();
    const [upgraded, idle] = [await RawClient.open(port), await kept(port)];
    upgraded.asks('/', 'Connection: Upgrade', 'Upgrade: echo');
    await upgraded.hears(/101 Switching/);
    await begins(app);
    await passes(app, 1_500);
    expect([idle.end, reports(app)]).toEqual(['open', []]);
    upgraded.leaves();
    await upgraded.over();
    await passes(app, 50);
    await app.nextMessage('only-idle-left');
  });

  it('closes idle connections when no other process serves any more, if they have been quiet for a second', async () => {
    const { app, port } = await held();
    const idle = await kept(port);
    await begins(app);
    await passes(app, 1_500);
    expect(idle.end).toBe('open');
    app.send({ type: 'stop-keeping-idle' });
    // Another message behind it shows that it has been read.
    await begins(app);
    await passes(app, 50);
    expect(await idle.over()).toBe('ended');
    await passes(app, 50);
    expect(await app.ended).toEqual(bySignal);
  });

  it('waits until they have been quiet for that second', async () => {
    const { app, port } = await held();
    const idle = await kept(port);
    await begins(app);
    await passes(app, 500);
    app.send({ type: 'stop-keeping-idle' });
    await begins(app);
    await passes(app, 400);
    expect(idle.end).toBe('open');
    await passes(app, 200);
    expect(await idle.over()).toBe('ended');
  });
});

describe('an app with a handler of the stop signal, while others serve', () => {
  it('gets it when its idle clients are gone', async () => {
    const { app, port } = await held('handles-signal.cjs');
    const idle = await kept(port);
    await begins(app, { killTimeout: 600_000 });
    await passes(app, 2_000);
    await app.nextMessage('only-idle-left');
    expect(app.output()).not.toContain('handler');
    idle.asks('/');
    expect(await idle.hears(/\r\n\r\n7/)).toContain('Connection: close');
    await passes(app, 1_050);
    expect(await app.ended).toEqual({ code: 4, signal: null });
  });

  it('gets it in time for the second half of the kill timeout', async () => {
    const { app, port } = await held('handles-signal.cjs');
    const idle = await kept(port);
    await begins(app);
    await passes(app, 2_400);
    expect([idle.end, reports(app).length]).toEqual(['open', 1]);
    expect(app.output()).not.toContain('handler');
    await passes(app, 150);
    expect(await app.ended).toEqual({ code: 4, signal: null });
  });

  it('gets it at once when no other process serves any more', async () => {
    const { app, port } = await held('handles-signal.cjs');
    const idle = await kept(port);
    await begins(app, { killTimeout: 600_000 });
    await passes(app, 1_500);
    app.send({ type: 'stop-keeping-idle' });
    await begins(app);
    await passes(app, 50);
    expect(await app.ended).toEqual({ code: 4, signal: null });
    expect(await idle.over()).toBe('ended');
  });

  it('keeps its idle connections although it closes its server', async () => {
    const { app, port } = await held('drains-itself.cjs', []);
    const [idle, asking] = [await kept(port), await kept(port)];
    await begins(app);
    await passes(app, 2_500);
    await app.prints(/SIGTERM true/);
    await passes(app, 1_500);
    asking.asks('/');
    expect(await asking.hears(/\r\n\r\n\d+/)).toContain('Connection: close');
    expect(idle.end).toBe('open');
    await passes(app, 550);
    expect(await idle.over()).toBe('ended');
    expect(await app.ended).toEqual({ code: 3, signal: null });
  });
});

describe('a process that leaves after an uncaught error', () => {
  const hello = { type: 'hello', drainOnCrash: true, killTimeout: 5_000, wantedErrors: [] };

  async function leaving(...words: Parameters<typeof held>): Promise<{ app: App; idle: RawClient }> {
    const { app, port } = await held(...words);
    app.send(hello);
    const [idle, bad] = [await kept(port), await RawClient.open(port)];
    bad.asks('/throw');
    await app.nextMessage('leaving');
    bad.leaves();
    return { app, idle };
  }

  it.each([
    ['because it has a successor', 'drains.cjs', ['http']],
    ['although the app closes its servers itself', 'closes-on-error.cjs', []],
  ])('keeps idle connections, %s', async (_, script, words) => {
    const { app, idle } = await leaving(script, words);
    await passes(app, 4_450);
    expect(idle.end).toBe('open');
    await passes(app, 100);
    expect(await idle.over()).toBe('ended');
    expect(await app.ended).toEqual({ code: 1, signal: null });
    expect(reports(app)).toEqual([]);
  });

  it('closes idle connections when the app is stopped meanwhile', async () => {
    const { app, idle } = await leaving();
    await passes(app, 1_500);
    expect(idle.end).toBe('open');
    app.send({ type: 'stop-keeping-idle' });
    await begins(app);
    await passes(app, 100);
    expect(await idle.over()).toBe('ended');
  });
});
