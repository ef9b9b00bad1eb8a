// Apps that close their servers by themselves after an uncaught error.
import { expect, it } from 'vitest';
import { ask, freePort } from '../../helpers/http.ts';
import { kept, RawClient } from '../../helpers/raw-client.ts';
import { type App, socketStage } from '../../helpers/socket-stage.ts';
import { describeVariants } from '../../helpers/variants.ts';

const stage = socketStage();

const hello = { type: 'hello', drainOnCrash: true, killTimeout: 60_000, wantedErrors: [] };
const typesOf = (app: App) => app.received.map(({ type }) => type);

/** Its request is never answered, so it leaves when the app does. */
async function begins(app: App, port: number, path = '/throw'): Promise<RawClient> {
  const client = await RawClient.open(port);
  client.asks(path);
  await app.prints(/closing/);
  return client;
}

describeVariants(['kernel', 'rr'] as const)('an app that closes its servers on an error (%s)', (schedule) => {
  it('is replaced by a successor, which gets the new clients', async () => {
    const [port, other] = [await freePort(), await freePort()];
    const group = stage.group({ schedule });
    const [app] = await group.startAll(1, 'closes-on-error.cjs', [port, other]);
    app!.send(hello);
    const [slow, idle] = [await kept(port), await kept(port)];
    slow.asks('/slow');
    await app!.prints(/asked \/slow/);
    const thrower = await begins(app!, port);
    await app!.nextMessage('leaving');
    idle.asks('/');
    expect(await idle.hears(/\r\n\r\n\d+/)).toContain('Connection: close');
    const waiting = ask(port);
    const [next] = await group.startAll(1, 'closes-on-error.cjs', [port, other]);
    expect(await waiting).toEqual({ ok: true, body: String(next!.pid) });
    expect(await slow.hears(/\r\n\r\nslow/)).toContain('Connection: close');
    thrower.leaves();
    expect(await app!.ended).toEqual({ code: 1, signal: null });
  });

  it('is left alone when it closes them without an error', async () => {
    const port = await freePort();
    const group = stage.group({ schedule });
    const [app] = await group.startAll(1, 'closes-on-error.cjs', [port]);
    app!.send(hello);
    (await begins(app!, port, '/close')).leaves();
    expect(await app!.ended).toEqual({ code: 1, signal: null });
    expect(typesOf(app!)).not.toContain('leaving');
    expect(typesOf(app!)).toContain('closed');
    expect(await ask(port)).toEqual({ ok: false, why: 'ECONNREFUSED' });
  });
});
