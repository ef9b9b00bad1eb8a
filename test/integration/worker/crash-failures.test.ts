// Apps with a handler of their own for errors, which may exit a little later or live on.
import { describe, expect, it } from 'vitest';
import { beginsDrain } from '../../helpers/draining.ts';
import { ask, freePort } from '../../helpers/http.ts';
import { acceptedBy, type RawClient } from '../../helpers/raw-client.ts';
import { type App, type Group, socketStage } from '../../helpers/socket-stage.ts';

const stage = socketStage();

const hello = { type: 'hello', drainOnCrash: true, killTimeout: 60_000, wantedErrors: [] };
const wanted = ['exception', 'rejection'];

let count = 0;

/** The process has done what it was told, and what it said before that was heard. */
async function reportsAfterAll({ child, prints, received }: App): Promise<string[]> {
  count += 1;
  child.send({ cmd: 'NODE_TEST', count });
  await prints(new RegExp(`told ${count}\\n`));
  return received.map((message) => ('kind' in message ? `${message.type} ${message.kind}` : message.type));
}

async function started(port: number, greeting: object): Promise<[Group, App, App]> {
  const group = stage.group();
  const [app, other] = await group.startAll(2, 'steps-aside.cjs', [port]);
  for (const each of [app!, other!]) each.send({ ...greeting });
  return [group, app!, other!];
}

async function fails(app: App, client: RawClient, path: string, times = 1): Promise<void> {
  client.forgets();
  client.asks(path);
  await client.hears(/undefined/);
  await app.prints(new RegExp(`(handled [\\s\\S]*){${times}}`));
  client.forgets();
}

/** The reply to being asked to leave comes after anything that the process has said before. */
async function hasReportedNothing(app: App): Promise<void> {
  await beginsDrain(app, { killTimeout: 60_000 });
  expect(app.received.map(({ type }) => type)).not.toContain('handled-error');
}

describe('an error that a handler of the app catches', () => {
  it.each([
    ['/throw', 'exception'],
    ['/capture', 'exception'],
    ['/reject', 'rejection'],
  ])('is reported, but only the first of its kind: %s', async (path, kind) => {
    const port = await freePort();
    const [, app] = await started(port, { ...hello, wantedErrors: wanted });
    const client = await acceptedBy(app, port);
    await fails(app, client, path);
    await app.nextMessage('handled-error');
    if (path !== '/capture') await fails(app, client, path, 2);
    expect((await reportsAfterAll(app)).filter((news) => news.startsWith('handled-error'))).toEqual([
      `handled-error ${kind}`,
    ]);
    client.leaves();
  });

  it.each([
    ['that has seen the app survive such an error', { ...hello, wantedErrors: ['rejection'] }],
    ['of an app whose errors are left to Node', { ...hello, wantedErrors: wanted, drainOnCrash: false }],
  ])('is not reported to a daemon %s', { tags: 'full' }, async (_, greeting) => {
    const port = await freePort();
    const [, app] = await started(port, greeting);
    const client = await acceptedBy(app, port);
    await fails(app, client, '/throw');
    await hasReportedNothing(app);
    client.leaves();
  });

  it('is no longer reported once the daemon has seen the app survive', async () => {
    const port = await freePort();
    const [, app] = await started(port, { ...hello, wantedErrors: wanted });
    app.send({ type: 'wanted-errors', wantedErrors: [] });
    await reportsAfterAll(app);
    const client = await acceptedBy(app, port);
    await fails(app, client, '/throw');
    await hasReportedNothing(app);
    client.leaves();
  });

  it('is not reported by a process that has no socket of the daemon', async () => {
    const port = await freePort();
    const group = stage.group();
    const app = group.start('steps-aside.cjs', [{ port, exclusive: true }]);
    await app.listens;
    app.send({ ...hello, wantedErrors: wanted });
    await reportsAfterAll(app);
    expect((await ask(port, { path: '/throw' })).ok).toBe(true);
    await app.prints(/handled/);
    await hasReportedNothing(app);
  });
});

describe('a failing process', () => {
  it('sends its clients to others as long as it is out of the accept queue', async () => {
    const port = await freePort();
    const [group, app] = await started(port, { ...hello, wantedErrors: wanted });
    const clients = [await acceptedBy(app, port), await acceptedBy(app, port), await acceptedBy(app, port)] as const;
    const answerTo = async (client: RawClient) => {
      client.asks('/');
      return client.hears(/\r\n\r\n\d+/);
    };
    await fails(app, clients[0], '/throw');
    await app.nextMessage('handled-error');
    expect(await answerTo(clients[0])).toContain('Connection: keep-alive');
    group.sockets.accepting.leave(app.child, 'test');
    await reportsAfterAll(app);
    expect(await answerTo(clients[1])).toContain('Connection: close');
    expect(await clients[1].over()).toBe('ended');
    group.sockets.accepting.join(app.child, 'test');
    await reportsAfterAll(app);
    expect(await answerTo(clients[2])).toContain('Connection: keep-alive');
    for (const client of clients) client.leaves();
  });

  it('keeps its clients if it is out of the queue for another reason', async () => {
    const port = await freePort();
    const [group, app] = await started(port, { ...hello, wantedErrors: wanted });
    const client = await acceptedBy(app, port);
    group.sockets.accepting.leave(app.child, 'test');
    await reportsAfterAll(app);
    client.asks('/');
    expect(await client.hears(/\r\n\r\n\d+/)).toContain('Connection: keep-alive');
    client.leaves();
  });
});
