// nginx in front of an app, with connections that it keeps and uses again (`keepalive` of its upstream).
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterEach, describe, expect, it } from 'vitest';
import { eventually } from '../helpers/eventually.ts';
import { Gate } from '../helpers/gate.ts';
import { ask, freePort } from '../helpers/http.ts';
import { endNginx, hasNginx, nginxBefore } from '../helpers/nginx.ts';
import { homeForEach, root } from '../helpers/nsv.ts';
import { reloaded } from '../helpers/under-way.ts';

const nsv = homeForEach();
let gate: Gate | undefined;

endNginx();
afterEach(() => gate?.close());

/** nginx does not repeat a POST. */
async function post(port: number): Promise<{ status: number | undefined; body: string }> {
  const asking = request({ port, method: 'POST', agent: false }).end('x');
  const [response] = await once(asking, 'response');
  return { status: response.statusCode, body: await text(response) };
}

// Skipped where nginx is not installed.
describe.skipIf(!hasNginx)('an app behind nginx on another machine', () => {
  it.each(['reload', 'scale down'])('answers requests that nginx sends on a kept-alive connection: %s', async (way) => {
    const port = await freePort();
    const app = nsv.script(
      'web.cjs',
      `const server = require('http').createServer((_, response) => response.end(String(process.pid))).listen(${port});
server.keepAliveTimeout = 600_000;`,
    );
    const instances = way === 'reload' ? '1' : '2';
    await nsv.ok('start', app, '--schedule', 'rr', '-i', instances, '--kill-timeout', '10m');
    await eventually(async () => (await nsv.list()).every(({ ports }) => ports.length === 1));
    const last = (await nsv.list()).at(-1);
    gate = await Gate.before(port);
    const front = await nginxBefore(
      `upstream app { server 127.0.0.1:${gate.port}; keepalive 64; }
  server {
    listen 80;
    location / { proxy_pass http://app; proxy_http_version 1.1; proxy_set_header Connection ""; }
  }`,
      nsv.directory,
    );
    // It uses the connection again that it has used last.
    await eventually(async () => {
      await Promise.all([post(front), post(front), post(front)]);
      return (await post(front)).body === String(last?.pid);
    });
    gate.shuts();
    await nsv.ok(...(way === 'reload' ? ['reload', 'web'] : ['scale', 'web', '1']));
    const { received } = gate;
    const answer = post(front);
    await eventually(() => gate!.received > received);
    gate.opens();
    expect(await answer).toEqual({ status: 200, body: String(last?.pid) });
  });
});

describe.skipIf(!hasNginx)('an app behind nginx as configured in docs/nginx.md', () => {
  const page = readFileSync(join(root, 'docs/nginx.md'), 'utf8');
  const [shown = '', maintenance = ''] = [...page.matchAll(/```nginx\n(.*?)```/gs)].map(([, lines]) => lines!);

  /** Returns the port of nginx. */
  async function start(): Promise<number> {
    const port = await freePort();
    const app = nsv.script(
      'web.cjs',
      `const server = require('http').createServer((request, response) =>
  request.resume().on('end', () => response.end([request.method, request.headers['x-forwarded-for'], request.headers.connection].join())));
server.on('upgrade', (request, socket) => socket.end('HTTP/1.1 101 Switching Protocols\\r\\nConnection: upgrade\\r\\nUpgrade: echo\\r\\n\\r\\n'));
server.listen(${port});`,
    );
    await nsv.ok('start', app, '-i', '2');
    writeFileSync(join(nsv.directory, 'maintenance.html'), 'back soon');
    const rest = maintenance.replace('/srv/www', nsv.directory);
    const http = shown.replace('127.0.0.1:3000', `127.0.0.1:${port}`).replace('listen 80;', `listen 80;\n${rest}`);
    return nginxBefore(http, nsv.directory);
  }

  it('reuses connections, and loses no POST in three reloads', async () => {
    const answers = await reloaded(nsv, await start(), { body: 'x' }, 3);
    expect([...new Set(answers)]).toEqual(['POST,127.0.0.1,']);
  });

  it('can upgrade a connection', async () => {
    const front = await start();
    const asking = request({ port: front, headers: { connection: 'upgrade', upgrade: 'echo' } }).end();
    const [, socket] = await once(asking, 'upgrade');
    socket.destroy();
  });

  it('is replaced by a maintenance page while it is stopped', async () => {
    const front = await start();
    await nsv.ok('stop', 'web');
    expect(await ask(front)).toMatchObject({
      ok: false,
      why: expect.stringMatching(/^cut short: HTTP\/1.1 502 .*back soon/s),
    });
    await nsv.ok('restart', 'web');
    expect(await ask(front)).toMatchObject({ ok: true });
  });
});
