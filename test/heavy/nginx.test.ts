// nginx in front of an app, with connections that it keeps and uses again (`keepalive` of its upstream).
import { once } from 'node:events';
import { request } from 'node:http';
import { text } from 'node:stream/consumers';
import { afterEach, describe, expect, it } from 'vitest';
import { eventually } from '../helpers/eventually.ts';
import { Gate } from '../helpers/gate.ts';
import { freePort } from '../helpers/http.ts';
import { endNginx, hasNginx, nginxBefore } from '../helpers/nginx.ts';
import { homeForEach } from '../helpers/nsv.ts';

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
  it.each(['reload', 'scale down'])('answers what nginx sends on a connection that it keeps: %s', async (way) => {
    const port = await freePort();
    const app = nsv.script(
      'web.cjs',
      `const server = require('http').createServer((_, response) => response.end(String(process.pid))).listen(${port});
server.keepAliveTimeout = 600_000;`,
    );
    const instances = way === 'reload' ? '1' : '2';
    await nsv.ok('start', app, '--schedule', 'rr', '-i', instances, '--kill-timeout', '10m', '--min-uptime', '100');
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
