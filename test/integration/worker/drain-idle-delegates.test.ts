// Idle connections in the workers of an app's own cluster, and in its threads, that drain while other processes serve.
// @module-tag full
import { describe, expect, it } from 'vitest';
import { beginsDrain, bySignal } from '../../helpers/draining.ts';
import { eventually } from '../../helpers/eventually.ts';
import { freePort } from '../../helpers/http.ts';
import { kept, RawClient } from '../../helpers/raw-client.ts';
import { type App, socketStage } from '../../helpers/socket-stage.ts';

const stage = socketStage();

const half = 'POST /half HTTP/1.1\r\nHost: test\r\nContent-Length: 4\r\n\r\n';

const begins = (app: App, settings: object = {}) =>
  beginsDrain(app, { killTimeout: 600_000, othersServe: true, ...settings });

describe.each(['cluster', 'threads', 'threads of workers'])('an app that has its servers in %s', (kind) => {
  /** Two servers: behind one port in a cluster, which deals connections in turn. */
  async function serving(): Promise<{ app: App; ports: [number, number] }> {
    const first = await freePort();
    const second = kind === 'cluster' ? first : await freePort();
    const app = stage.group().start('delegating.cjs', [kind, [first, second]]);
    await app.prints(/worker listens[\s\S]*worker listens/);
    return { app, ports: [first, second] };
  }

  it('keeps idle connections, and reports that only they are left', async () => {
    const { app, ports } = await serving();
    const [asking, idle] = [await kept(ports[0]), await kept(ports[1])];
    await begins(app);
    await app.nextMessage('only-idle-left');
    expect([asking.end, idle.end]).toEqual(['open', 'open']);
    asking.asks('/');
    expect(await asking.hears(/\r\n\r\n\d+/)).toContain('Connection: close');
    expect(await asking.over()).toBe('ended');
    expect(idle.end).toBe('open');
    idle.leaves();
    expect(await app.ended).toEqual(bySignal);
  });

  it('closes idle connections when no other process serves any more', async () => {
    const { app, ports } = await serving();
    const idle = [await kept(ports[0]), await kept(ports[1])];
    await begins(app);
    await app.nextMessage('only-idle-left');
    app.send({ type: 'stop-keeping-idle' });
    for (const client of idle) expect(await client.over()).toBe('ended');
    expect(await app.ended).toEqual(bySignal);
  });

  it('closes idle connections before the kill timeout, although others are active', async () => {
    const { app, ports } = await serving();
    const busy = await RawClient.open(ports[0]);
    busy.says(half.replace('4', '1000000'));
    await app.prints(/asked \/half/);
    const idle = [await kept(ports[0]), await kept(ports[1])];
    await begins(app, { killTimeout: 4_000 });
    for (const client of idle) {
      await eventually(() => {
        busy.says('x');
        return client.end === 'ended';
      });
    }
  });

  it('reports nothing before all servers have answered', async () => {
    const { app, ports } = await serving();
    const [busy, idle] = [await RawClient.open(ports[0]), await kept(ports[1])];
    busy.says(half);
    await app.prints(/asked \/half/);
    await begins(app);
    await eventually(() => app.received.some((news) => news.type === 'in-flight' && news.count === 1));
    busy.says('done');
    expect(await busy.hears(/\r\n\r\n\d+/)).toContain('Connection: close');
    await app.nextMessage('only-idle-left');
    const order = app.received
      .filter(({ type }) => type === 'in-flight' || type === 'only-idle-left')
      .map((news) => (news.type === 'in-flight' ? news.count : news.type));
    expect(order).toEqual([1, 0, 'only-idle-left']);
    idle.leaves();
    expect(await app.ended).toEqual(bySignal);
  });
});
