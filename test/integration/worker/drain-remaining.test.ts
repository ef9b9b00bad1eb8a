// Apps whose handler of the stop signal does not end the process: what the daemon learns about it.
import { once } from 'node:events';
import { createServer } from 'node:net';
import { describe, expect, it } from 'vitest';
import type { UpMessage } from '../../../src/ipc/worker-messages.ts';
import { drain } from '../../helpers/draining.ts';
import { eventually } from '../../helpers/eventually.ts';
import { freePort } from '../../helpers/http.ts';
import { kept } from '../../helpers/raw-client.ts';
import { type App, socketStage } from '../../helpers/socket-stage.ts';

const stage = socketStage();

type Remaining = Extract<UpMessage, { type: 'remaining' }>;
const reported = (app: App) => app.received.filter((message): message is Remaining => message.type === 'remaining');

async function retrying(collector: number): Promise<{ app: App; port: number }> {
  const port = await freePort();
  const [app] = await stage.group().startAll(1, 'retries.cjs', [port, collector]);
  return { app: app!, port };
}

/** The test is over before half of it is. */
const begins = (app: App) => app.send({ ...drain, killTimeout: 600_000 });

describe('a process that is still running after its handler has begun', () => {
  it('reports that it has no clients, and which addresses it cannot connect to', async () => {
    const collector = await freePort();
    const { app } = await retrying(collector);
    begins(app);
    expect(await app.nextMessage('remaining')).toMatchObject({
      isFree: true,
      connected: [],
      failed: [`127.0.0.1:${collector} (ECONNREFUSED)`],
    });
    expect(Object.values(reported(app)[0]!.waitsFor).every((count) => count > 0)).toBe(true);
  });

  it('reports which addresses it is connected to', async () => {
    const collector = createServer().listen(0, '127.0.0.1');
    await once(collector, 'listening');
    const { port } = collector.address() as { port: number };
    const { app } = await retrying(port);
    begins(app);
    expect(await app.nextMessage('remaining')).toMatchObject({
      isFree: true,
      waitsFor: { TCPSocketWrap: 1 },
      connected: [`127.0.0.1:${port}`],
      failed: [],
    });
    collector.close();
  });

  it('reports that it is free only when its last client is gone', async () => {
    const { app, port } = await retrying(await freePort());
    const client = await kept(port);
    client.asks('/stream');
    await client.hears(/begun/);
    begins(app);
    await app.nextMessage('remaining');
    expect(reported(app).map(({ isFree }) => isFree)).toEqual([false]);
    client.leaves();
    await eventually(() => reported(app).length === 2);
    expect(reported(app).map(({ isFree }) => isFree)).toEqual([false, true]);
  });

  it('is not free if it has never served, because it may still be working', async () => {
    const app = stage.group().start('works.cjs');
    await app.prints(/works/);
    begins(app);
    expect(await app.nextMessage('remaining')).toMatchObject({ isFree: false, waitsFor: { Timeout: 1 } });
  });
});

describe('a process that ends', () => {
  it('reports nothing', async () => {
    const port = await freePort();
    const [app] = await stage.group().startAll(1, 'handles-signal.cjs', ['http', port]);
    begins(app!);
    await app!.ended;
    expect(reported(app!)).toEqual([]);
  });
});
