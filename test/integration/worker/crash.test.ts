import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import { eventually } from '../../helpers/eventually.ts';
import { ask, freePort } from '../../helpers/http.ts';
import { fixture } from '../../helpers/launched.ts';
import { RawClient } from '../../helpers/raw-client.ts';
import { type App, socketStage, workerNode } from '../../helpers/socket-stage.ts';
import { variants } from '../../helpers/variants.ts';
import { Visitors } from '../../helpers/visitors.ts';

const stage = socketStage();

/** The failed request itself is never answered, so it is this long that each of them takes. */
const brief = { type: 'hello', drainOnCrash: true, killTimeout: 300, wantedErrors: [] };
const hello = { type: 'hello', drainOnCrash: true, killTimeout: 5000, wantedErrors: [] };
/** Whoever waits for this kill timeout waits too long. */
const endless = { type: 'hello', drainOnCrash: true, killTimeout: 600_000, wantedErrors: [] };
const crash = (port: number, way: string) => ask(port, { path: `/${encodeURIComponent(way)}` });

async function managed(port: number, greeting: object = hello): Promise<App> {
  const [app] = await stage.group().startAll(1, 'crashes.cjs', [port]);
  app!.send({ ...greeting });
  return app!;
}

async function underPlainNode(port: number, way: string): Promise<{ output: string; code: number | null }> {
  const options = { env: { PATH: process.env.PATH ?? '', HOME: stage.directory }, cwd: stage.directory };
  const child = spawn(workerNode, [fixture('crashes.cjs'), String(port)], options);
  const exited = once(child, 'exit');
  const output = Promise.all([text(child.stdout), text(child.stderr)]);
  await eventually(async () => {
    const answer = await crash(port, way);
    return answer.ok || answer.why !== 'ECONNREFUSED';
  }, 'a server');
  const [code] = await exited;
  return { output: (await output).join(''), code };
}

/** What Node prints above an error: its place, the line of the source, and a caret. */
const place = /^.+:\d+\n.*\n\s*\^\n\n/m;
/** Calls of Node's own functions differ from one time to the next. */
const ownCalls = /\n +(at .*\(node:[^)]*\)|\.\.\. \d+ lines .*)/g;
const withoutPlace = (output: string) => output.replace(place, 'Uncaught ').replace(ownCalls, '');

describe('an uncaught error', () => {
  const ways = [
    'a throw',
    'properties and a cause',
    'several errors',
    'an error event without an error',
    'a type error',
    'too deep a recursion',
    'a rejection',
    'a rejection in an async function',
    'a rejection with text',
    'a rejection with an object',
    'a rejection with nothing',
    'an exit code of its own',
    'an exit listener that throws',
    'a monitor',
  ];
  const title = 'is printed with its stack and causes, above the version, and ends with the exit code of Node: %s';
  variants(ways, 4)(title, async (way) => {
    const port = await freePort();
    const { output, code } = await underPlainNode(port, way);
    const app = await managed(port, brief);
    await crash(port, way);
    expect(await app.ended).toEqual({ code, signal: null });
    expect(app.output().replace(ownCalls, '')).toBe(withoutPlace(output));
  });

  it('is left to Node when a handler of the app throws it', async () => {
    const way = 'a handler that throws';
    const port = await freePort();
    const { output, code } = await underPlainNode(port, way);
    const app = await managed(port, brief);
    await crash(port, way);
    expect(await app.ended).toEqual({ code, signal: null });
    // The one trace of nsv is the name of Node's own function.
    expect(app.output()).toBe(output.replace('process._fatalException (', 'process.<anonymous> ('));
  });

  it('is printed and reported once by a process that several daemons have greeted', async () => {
    const port = await freePort();
    const { output } = await underPlainNode(port, 'a throw');
    const app = await managed(port, brief);
    app.send({ ...brief });
    await crash(port, 'a throw');
    await app.ended;
    expect(app.output().replace(ownCalls, '')).toBe(withoutPlace(output));
    expect(app.received.filter(({ type }) => type === 'leaving')).toHaveLength(1);
  });

  variants([
    ['text', "'only text'"],
    ['nothing', 'undefined'],
    ['an object', '{ a: 1 }'],
    ['an error that prints itself in another way', expect.stringMatching(/^Disguised .*: in disguise\n {4}at /)],
    ['an error that cannot be inspected', 'Error: opaque'],
  ])('is printed whatever was thrown: %s', async (way, printed) => {
    const port = await freePort();
    const app = await managed(port, brief);
    await crash(port, way);
    expect(await app.ended).toEqual({ code: 1, signal: null });
    const [, thrown] = /^Uncaught ([\s\S]*)\n\nNode\.js v.*\n$/.exec(app.output()) ?? [];
    expect(thrown).toEqual(printed);
  });

  it.each(['handled', 'captured', 'handled rejection'])('is left to the app that catches it: %s', async (way) => {
    const port = await freePort();
    const app = await managed(port);
    void crash(port, way);
    await app.prints(new RegExp(`^${way} for the`, 'm'));
    expect(await ask(port)).toEqual({ ok: true, body: 'well' });
    expect(app.received.map(({ type }) => type)).not.toContain('leaving');
  });

  it.each([
    ['before the greeting of the daemon', undefined],
    ['when draining on an error is switched off', { ...hello, drainOnCrash: false }],
  ])('ends the process at once %s', async (_, greeting) => {
    const port = await freePort();
    const app = await managed(port, greeting ?? { type: 'nothing' });
    const other = ask(port, { path: '/slow' });
    await crash(port, 'a throw');
    expect(await app.ended).toEqual({ code: 1, signal: null });
    expect((await other).ok).toBe(false);
    expect(app.received.map(({ type }) => type)).not.toContain('leaving');
  });
});

describe('a worker that meets an uncaught error', () => {
  variants(['a throw', 'a rejection'])('reports to the daemon, and answers the other requests: %s', async (way) => {
    const port = await freePort();
    const group = stage.group();
    const apps = await group.startAll(2, 'crashes.cjs', [port]);
    for (const app of apps) app.send(hello);
    const visitors = new Visitors(16, { port, path: '/slow' });
    await eventually(() => visitors.answers.length > 0);
    const thrower = crash(port, way);
    const fallen = await eventually(() => apps.find(({ received }) => received.some(({ type }) => type === 'leaving')));
    expect(await fallen.nextMessage('leaving')).toMatchObject({
      reason: expect.stringMatching(/^Error: (out of|rejected)/),
    });
    expect(await fallen.ended).toEqual({ code: 1, signal: null });
    expect((await thrower).ok).toBe(false);
    expect(await visitors.leave()).toEqual([]);
  });

  variants(['in the handler', 'while the body arrives', 'when the body is there'])(
    'closes the connection of the request that threw, and exits when the others are answered: %s',
    async (way) => {
      const port = await freePort();
      const app = await managed(port, endless);
      const [other, thrower] = [await RawClient.open(port), await RawClient.open(port)];
      other.asks('/slow');
      const path = encodeURIComponent(way);
      thrower.says(`POST /${path} HTTP/1.1\r\nHost: test\r\nContent-Length: 4\r\n\r\nbody`);
      await thrower.over();
      await other.hears(/200 OK[\s\S]*slow$/);
      expect(await app.ended).toEqual({ code: 1, signal: null });
      expect(thrower.received).toBe('');
    },
  );

  it('lets a request keep the answer that it got before it threw', async () => {
    const port = await freePort();
    const app = await managed(port, endless);
    expect(await crash(port, 'after the answer')).toEqual({ ok: true, body: 'x'.repeat(20_000_000) });
    expect(await app.ended).toEqual({ code: 1, signal: null });
  });

  it('answers the other requests of the connection on which one has thrown', async () => {
    const port = await freePort();
    const app = await managed(port, { ...hello, killTimeout: 2000 });
    const client = await RawClient.open(port);
    client.asks('/slow');
    client.asks('/in%20the%20handler');
    await app.nextMessage('leaving');
    await client.hears(/200 OK[\s\S]*slow$/);
    expect(await app.ended).toEqual({ code: 1, signal: null });
  });

  it('exits at once on a second error, and prints both', async () => {
    const port = await freePort();
    const app = await managed(port);
    const held = ask(port, { path: '/hold' });
    const second = await RawClient.open(port);
    void crash(port, 'a throw');
    await app.nextMessage('leaving');
    second.asks('/a%20type%20error');
    expect(await app.ended).toEqual({ code: 1, signal: null });
    expect(app.output()).toMatch(/out of order[\s\S]*Node\.js v[\s\S]*TypeError[\s\S]*Node\.js v/);
    await held;
  });

  it('exits within the kill timeout, even if requests are held open', async () => {
    const port = await freePort();
    const app = await managed(port, { ...hello, killTimeout: 300 });
    const held = ask(port, { path: '/hold' });
    void crash(port, 'a throw');
    expect(await app.ended).toEqual({ code: 1, signal: null });
    await held;
  });

  it('reports to the daemon before it blocks', async () => {
    const port = await freePort();
    const app = await managed(port);
    void crash(port, 'blocks');
    await app.nextMessage('leaving');
    app.signal('SIGKILL');
    await app.ended;
  });
});
