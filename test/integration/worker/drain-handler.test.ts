// Apps whose own handler of the stop signal would cut requests off.
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { connect } from 'node:http2';
import { text } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import { beginsDrain } from '../../helpers/draining.ts';
import { heldClock } from '../../helpers/held-clock.ts';
import { freePort } from '../../helpers/http.ts';
import { kept } from '../../helpers/raw-client.ts';
import { type App, socketStage } from '../../helpers/socket-stage.ts';

const stage = socketStage();

const byHandler = { code: 4, signal: null };
/** The test is over before half of it is, unless it waits for that. */
const killTimeout = 600_000;

async function serving(kind: 'http' | 'http2', env = {}): Promise<{ app: App; port: number }> {
  const port = await freePort();
  const [app] = await stage.group({ env }).startAll(1, 'handles-signal.cjs', [kind, port]);
  return { app: app!, port };
}

const begins = (app: App, timeout = killTimeout) => beginsDrain(app, { killTimeout: timeout });

describe('an app that exits at once on the signal', () => {
  it('gets it once its requests are answered and its idle connections are closed', async () => {
    const { app, port } = await serving('http');
    const [asking, idle] = [await kept(port), await kept(port)];
    asking.asks('/slow');
    await app.prints(/asked \/slow/);
    await begins(app);
    idle.asks('/');
    expect(await idle.hears(/\r\n\r\n7/)).toContain('Connection: close');
    expect(await asking.hears(/\r\n\r\nslow/)).toContain('Connection: close');
    expect(await app.ended).toEqual(byHandler);
  });

  it('gets it once its idle clients have been quiet for a second and are disconnected', async () => {
    const { app, port } = await serving('http');
    const idle = await kept(port);
    await begins(app);
    expect(await idle.over()).toBe('ended');
    expect(await app.ended).toEqual(byHandler);
  });

  it('gets it at once when no client is connected', async () => {
    // No time passes at all.
    const { app } = await serving('http', heldClock);
    await begins(app);
    expect(await app.ended).toEqual(byHandler);
  });

  it('gets it although a response never ends', async () => {
    const { app, port } = await serving('http');
    const client = await kept(port);
    client.asks('/hold');
    await client.hears(/held/);
    await begins(app);
    expect(await app.ended).toEqual(byHandler);
  });

  it('gets it after half of the kill timeout, even if requests are unanswered', { tags: 'full' }, async () => {
    const { app, port } = await serving('http');
    const client = await kept(port);
    client.asks('/never');
    await app.prints(/asked \/never/);
    await begins(app, 2000);
    await begins(app, 2000);
    expect(await app.ended).toEqual(byHandler);
    expect(app.output().match(/handler/g)).toEqual(['handler']);
  });
});

describe('an app that closes its http2 server on the signal', () => {
  it('has its sessions closed, for which Node 20 and 22 wait', async () => {
    const { app, port } = await serving('http2');
    const session = connect(`http://127.0.0.1:${port}`);
    await once(session, 'connect');
    const body = text(session.request({ ':path': '/slow' }));
    await app.prints(/asked \/slow/);
    await begins(app);
    expect(await body).toBe('slow');
    expect(await app.ended).toEqual(byHandler);
  });
});

describe('an app whose handler cleans up but does not exit', () => {
  it('exits once the cleanup is done, no client is connected and nothing else is left', async () => {
    const [port, collectorPort] = [await freePort(), await freePort()];
    const collector = createServer().listen(collectorPort);
    try {
      const [app] = await stage.group().startAll(1, 'flushes.cjs', [port, collectorPort]);
      await app!.prints(/listening/);
      const idle = await kept(port);
      const asked = once(collector, 'request') as Promise<[IncomingMessage, ServerResponse]>;
      await begins(app!);
      expect(await idle.over()).toBe('ended');
      const [, response] = await asked;
      expect(app!.output()).not.toContain('flushed');
      response.end();
      expect(await app!.ended).toEqual({ code: 0, signal: null });
      expect(app!.output()).toContain('flushed');
    } finally {
      collector.close();
    }
  });
});
