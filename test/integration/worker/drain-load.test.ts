import { once } from 'node:events';
import { type ClientHttp2Session, connect } from 'node:http2';
import { text } from 'node:stream/consumers';
import { beforeAll, describe, expect, it } from 'vitest';
import { certificate } from '../../helpers/certificate.ts';
import { bySignal, drain } from '../../helpers/draining.ts';
import { eventually } from '../../helpers/eventually.ts';
import { ask, freePort } from '../../helpers/http.ts';
import { type App, socketStage } from '../../helpers/socket-stage.ts';
import { describeVariants, variants } from '../../helpers/variants.ts';
import { type Visit, Visitors } from '../../helpers/visitors.ts';

const stage = socketStage();
let secrets: string[];
beforeAll(async () => {
  secrets = await certificate(stage.directory);
});

async function pair(kind: string): Promise<{ apps: App[]; port: number }> {
  const port = await freePort();
  return { apps: await stage.group().startAll(2, 'drains.cjs', [kind, port, ...secrets]), port };
}

const loads: [name: string, kind: string, visit: Omit<Visit, 'port'>][] = [
  ['http', 'http', {}],
  ['answers without a pause', 'http', { path: '/at-once', think: 0 }],
  ['clients that think longer', 'http', { think: 400 }],
  ['16 KB of POST', 'http', { path: '/body', body: 'x'.repeat(16_384) }],
  ['POST that nobody reads', 'http', { path: '/at-once', body: 'x'.repeat(300_000) }],
  ['https', 'https', { secure: true }],
  ['HTTP/1 of an http2 server', 'h2', { secure: true }],
];

describe('one of two instances that drains', () => {
  variants(loads)('loses no request: %s', async (_, kind, visit) => {
    const { apps, port } = await pair(kind);
    const visitors = new Visitors(24, { port, ...visit });
    await eventually(() => visitors.answers.length > 100);
    // The system may have given all of them to one: it is one of those that serve.
    const served = visitors.answers.at(-1)!.split(' ').at(-1);
    const [leaving, staying] = served === String(apps[0]!.pid) ? apps : apps.toReversed();
    leaving!.send(drain);
    expect(await leaving!.ended).toEqual(bySignal);
    const before = visitors.answers.length;
    await eventually(() => visitors.answers.length > before + 100);
    expect(await visitors.leave()).toEqual([]);
    const pids = visitors.answers.map((body) => body.split(' ').at(-1));
    expect(pids).toContain(String(leaving!.pid));
    expect(new Set(pids.slice(before + 24))).toEqual(new Set([String(staying!.pid)]));
  });
});

describeVariants(['http2', 'h2'])('an %s server that drains', (kind) => {
  async function visited(path: string): Promise<{ app: App; session: ClientHttp2Session; body: Promise<string> }> {
    const port = await freePort();
    const [app] = await stage.group().startAll(1, 'drains.cjs', [kind, port, ...secrets]);
    const scheme = kind === 'h2' ? 'https' : 'http';
    const session = connect(`${scheme}://127.0.0.1:${port}`, { rejectUnauthorized: false });
    const body = text(session.request({ ':path': path }));
    await app!.prints(/asked/);
    return { app: app!, session, body };
  }

  it('finishes the streams it has begun, and sends GOAWAY', async () => {
    const { app, session, body } = await visited('/stream');
    const goaway = once(session, 'goaway');
    app.send(drain);
    expect((await goaway)[0]).toBe(0);
    expect(await body).toBe('begin 1 2 3 4 5 6 7 8 9 end');
    expect(await app.ended).toEqual(bySignal);
  });

  it('closes sessions without a request at once', async () => {
    const { app, session, body } = await visited('/');
    await body;
    app.send(drain);
    await once(session, 'close');
    expect(await app.ended).toEqual(bySignal);
  });

  it('reports the number of requests in flight', async () => {
    const { app, session } = await visited('/hold');
    session.request({ ':path': '/hold' });
    await app.prints(/asked[\s\S]*asked/);
    app.send(drain);
    expect(await app.nextMessage('in-flight')).toMatchObject({ count: 2 });
    session.destroy();
  });
});

describe('a server that is handed its connections', () => {
  it('answers them to the end', async () => {
    const port = await freePort();
    const [app] = await stage.group({ schedule: 'rr' }).startAll(1, 'drains.cjs', ['http', port]);
    const answer = ask(port, { path: '/stream' });
    await app!.prints(/asked/);
    app!.send(drain);
    expect(await answer).toMatchObject({ ok: true, body: expect.stringContaining('end') });
    expect(await app!.ended).toEqual(bySignal);
  });

  it('answers them to the end in the classic master-worker style', async () => {
    const port = await freePort();
    const group = stage.group();
    await group.sockets.open([{ port }]);
    const app = group.start('classic-worker.cjs');
    await app.prints(/serves/);
    const visitors = new Visitors(4, { port });
    await eventually(() => visitors.answers.length > 20);
    app.send(drain);
    expect(await app.ended).toEqual(bySignal);
    const next = group.start('classic-worker.cjs');
    await eventually(() => visitors.answers.at(-1) === String(next.pid));
    expect(await visitors.leave()).toEqual([]);
  });
});
