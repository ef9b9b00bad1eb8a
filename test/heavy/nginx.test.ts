// nginx in front of an app, with connections that it keeps and uses again (`keepalive` of its upstream).
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterEach, describe, expect, it } from 'vitest';
import { eventually } from '../helpers/eventually.ts';
import { Gate } from '../helpers/gate.ts';
import { ask, freePort } from '../helpers/http.ts';
import { homeForEach } from '../helpers/nsv.ts';
import { works } from '../helpers/program.ts';

const nsv = homeForEach();
const hasNginx = await works('nginx', '-v');
let nginx: ChildProcess | undefined;
let gate: Gate | undefined;

afterEach(async () => {
  gate?.close();
  const ended = nginx?.exitCode === null && once(nginx, 'exit');
  nginx?.kill();
  await ended;
  nginx = undefined;
});

/** Resolves with its port. */
async function nginxBefore(app: number): Promise<number> {
  const folder = join(nsv.directory, 'nginx');
  mkdirSync(folder);
  const port = await freePort();
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'];
  const file = join(folder, 'nginx.conf');
  writeFileSync(
    file,
    `daemon off; worker_processes 1; pid ${folder}/pid; error_log ${folder}/log;
${process.getuid?.() === 0 ? 'user root;' : ''}
events { worker_connections 256; }
http {
  access_log off;
  ${temporary.map((name) => `${name}_temp_path ${folder}/${name};`).join(' ')}
  upstream app { server 127.0.0.1:${app}; keepalive 64; }
  server {
    listen 127.0.0.1:${port};
    location / { proxy_pass http://app; proxy_http_version 1.1; proxy_set_header Connection ""; }
  }
}`,
  );
  nginx = spawn('nginx', ['-p', folder, '-e', `${folder}/log`, '-c', file], { stdio: 'inherit' });
  await eventually(async () => (await ask(port)).ok);
  return port;
}

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
    const front = await nginxBefore(gate.port);
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
