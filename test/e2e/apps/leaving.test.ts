// How a process leaves: nothing that it has begun is lost.
import { once } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { get, type IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { eventually } from '../../helpers/eventually.ts';
import { type Answer, ask, freePort } from '../../helpers/http.ts';
import { homeForEach } from '../../helpers/nsv.ts';

const nsv = homeForEach();
let port: number;

beforeEach(async () => {
  port = await freePort();
});

/** Answers /slow when the file `go` appears, throws on /throw. */
const app = () =>
  nsv.script(
    'app.cjs',
    `const fs = require('fs');
require('http').createServer((request, response) => {
  if (request.url === '/throw') throw new Error('one bad request');
  if (request.url !== '/slow') return response.end('quick');
  fs.writeFileSync(${JSON.stringify(join(nsv.directory, 'begun'))}, '');
  const timer = setInterval(() => {
    if (!fs.existsSync(${JSON.stringify(join(nsv.directory, 'go'))})) return;
    clearInterval(timer);
    response.end('slow');
  }, 5);
}).listen(${port});`,
  );

const hasBegun = () => eventually(() => existsSync(join(nsv.directory, 'begun')));
const refused = (answer: Answer) => !answer.ok && answer.why === 'ECONNREFUSED';
const letGo = () => writeFileSync(join(nsv.directory, 'go'), '');

describe('a request in flight', () => {
  it('is answered by the process that a reload has replaced', async () => {
    await nsv.ok('start', app(), '--kill-timeout', '50s');
    const slow = ask(port, { path: '/slow', timeout: 50_000 });
    await hasBegun();
    const [before] = await nsv.list();
    const reloaded = nsv.ok('reload', 'app');
    await eventually(async () => (await nsv.list())[0]?.pid !== before!.pid);
    expect(await ask(port)).toEqual({ ok: true, body: 'quick' });
    letGo();
    expect(await slow).toEqual({ ok: true, body: 'slow' });
    await reloaded;
  });

  it('is answered when another request crashes its process, while the successor serves', async () => {
    await nsv.ok('start', app(), '--kill-timeout', '50s');
    const slow = ask(port, { path: '/slow', timeout: 50_000 });
    await hasBegun();
    const bad = ask(port, { path: '/throw', timeout: 50_000 });
    await eventually(async () => {
      const [now] = await nsv.list();
      return now?.restarts === 1 && now.status === 'online';
    });
    expect(await ask(port)).toEqual({ ok: true, body: 'quick' });
    letGo();
    expect(await slow).toEqual({ ok: true, body: 'slow' });
    expect(await bad).toMatchObject({ ok: false });
    const view = await eventually(async () => {
      const [now] = await nsv.list();
      return now?.lastExit ? now : undefined;
    });
    expect(view).toMatchObject({ restarts: 1, lastExit: { code: 1, signal: null } });
    expect(readFileSync(view.errorFile!, 'utf8')).toContain('one bad request');
  });

  it('is answered by a process that nsv gave up on, while new clients are refused', { tags: 'full' }, async () => {
    await nsv.ok('start', app(), '--kill-timeout', '50s', '--max-restarts', '0');
    const slow = ask(port, { path: '/slow', timeout: 50_000 });
    await hasBegun();
    const bad = ask(port, { path: '/throw', timeout: 50_000 });
    const reason = expect.stringContaining('one bad request');
    await eventually(async () => (await nsv.list())[0]?.status === 'stopping');
    expect(await nsv.list()).toMatchObject([{ status: 'stopping', reason }]);
    expect(await eventually(async () => refused(await ask(port)))).toBe(true);
    letGo();
    expect(await slow).toEqual({ ok: true, body: 'slow' });
    expect(await bad).toMatchObject({ ok: false });
    await eventually(async () => (await nsv.list())[0]?.status === 'errored');
    expect(await nsv.list()).toMatchObject([{ restarts: 0, reason, lastExit: { code: 1, signal: null } }]);
    expect(nsv.fatalLines()).toMatchObject([{ lastError: 'Error: one bad request' }]);
  });

  it('is lost with --no-drain-on-crash, as under plain Node', { tags: 'full' }, async () => {
    await nsv.ok('start', app(), '--no-drain-on-crash');
    const slow = ask(port, { path: '/slow', timeout: 50_000 });
    await hasBegun();
    await ask(port, { path: '/throw' });
    expect(await slow).toMatchObject({ ok: false });
  });

  it('is counted as cut if it takes longer than the kill timeout', async () => {
    await nsv.ok('start', app(), '--kill-timeout', '700ms');
    const slow = ask(port, { path: '/slow', timeout: 50_000 });
    await hasBegun();
    await nsv.ok('stop', 'app');
    expect(await slow).toMatchObject({ ok: false });
    expect(await nsv.list()).toMatchObject([{ cutShort: 1, lastExit: { code: null, signal: 'SIGKILL' } }]);
    expect(await nsv.ok('show', 'app')).toContain('killed with 1 request in flight');
  });

  it('is completed if it is a large download by a slow client', { tags: 'full' }, async () => {
    const size = 64 * 1024 * 1024;
    const download = nsv.script(
      'download.cjs',
      `require('http').createServer((_, response) => {
  response.setHeader('Content-Length', ${size});
  response.end(Buffer.alloc(${size}, 'x'));
}).listen(${port});`,
    );
    await nsv.ok('start', download, '--kill-timeout', '50s');
    const [before] = await nsv.list();
    const [response] = (await once(get({ port }), 'response')) as [IncomingMessage];
    let length = 0;
    response.on('data', (chunk: Buffer) => (length += chunk.length)).pause();
    const reloaded = nsv.ok('reload', 'download');
    await eventually(async () => (await nsv.list())[0]?.pid !== before!.pid);
    response.resume();
    await once(response, 'end');
    expect(length).toBe(size);
    await reloaded;
    // The client keeps its connection for a while.
    await eventually(async () => (await nsv.list())[0]?.lastExit !== null);
    expect(await nsv.list()).toMatchObject([{ cutShort: 0, lastExit: { code: null, signal: 'SIGTERM' } }]);
  });

  it('is cut at the kill timeout and counted if it is an endless event stream', { tags: 'full' }, async () => {
    const events = nsv.script(
      'events.cjs',
      `require('http').createServer((_, response) => {
  response.writeHead(200, { 'Content-Type': 'text/event-stream' });
  const timer = setInterval(() => response.write('data: ' + process.pid + '\\n\\n'), 20);
  response.on('close', () => clearInterval(timer));
}).listen(${port});`,
    );
    await nsv.ok('start', events, '--kill-timeout', '2s');
    const streams = [get({ port }), get({ port })];
    const responses = await Promise.all(streams.map(async (stream) => (await once(stream, 'response'))[0]));
    let received = 0;
    for (const response of responses) response.on('data', () => (received += 1)).on('error', () => {});
    const before = received;
    const { stderr } = await nsv.run('stop', 'events');
    expect(stderr).toContain('events (instance 0) did not exit within 2s of SIGTERM and was killed\n');
    expect(stderr).toContain('events (instance 0) had 2 requests in flight\n');
    expect(received).toBeGreaterThan(before + 20);
    expect(await nsv.list()).toMatchObject([{ cutShort: 2, lastExit: { code: null, signal: 'SIGKILL' } }]);
    expect(await nsv.ok('show', 'events')).toContain('killed with 2 requests in flight');
    expect(nsv.log()).toMatch(/"requests":2,.*"requests-cut"/);
  });
});

describe('an app with its own shutdown handler', () => {
  it('runs its handler and exits with its own code', async () => {
    const out = join(nsv.directory, 'out');
    const own = nsv.script(
      'own.cjs',
      `const server = require('http').createServer((_, response) => response.end('x')).listen(${port});
process.on('SIGTERM', () => server.close(() => { require('fs').writeFileSync(${JSON.stringify(out)}, 'closed'); process.exit(9); }));`,
    );
    await nsv.ok('start', own);
    await nsv.ok('stop', 'own');
    expect(readFileSync(out, 'utf8')).toBe('closed');
    expect(await nsv.list()).toMatchObject([{ lastExit: { code: 9, signal: null } }]);
  });

  it('gets a message instead of the signal with --shutdown-with-message, on reload too', async () => {
    const out = join(nsv.directory, 'out');
    const own = nsv.script(
      'told.cjs',
      `require('http').createServer((_, response) => response.end('x')).listen(${port});
process.on('SIGTERM', () => process.exit(99));
process.on('message', (message) => { if (message === 'shutdown') { require('fs').appendFileSync(${JSON.stringify(out)}, 'told\\n'); process.exit(0); } });`,
    );
    await nsv.ok('start', own, '--shutdown-with-message');
    await nsv.ok('reload', 'told');
    await nsv.ok('stop', 'told');
    expect(readFileSync(out, 'utf8')).toBe('told\ntold\n');
  });
});

describe('an app whose event loop is blocked', { tags: 'full' }, () => {
  it('gets the stop signal soon, because it cannot receive messages', async () => {
    const blocked = nsv.script(
      'blocked.cjs',
      `require('http').createServer().listen(${port}, () => { setTimeout(() => { for (;;); }, 50); });`,
    );
    await nsv.ok('start', blocked, '--kill-timeout', '60s');
    const [view] = await nsv.list();
    await eventually(async () => (await nsv.list())[0]!.uptime! > 300);
    await nsv.ok('stop', 'blocked');
    expect(await nsv.list()).toMatchObject([{ lastExit: { code: null, signal: 'SIGTERM' } }]);
    expect(view!.restarts).toBe(0);
  });
});
