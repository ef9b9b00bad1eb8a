// The queue of the benches: in a file, or in a Redis of its own.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/** What createQueue takes, from the variables of the bench. */
export async function queueFrom({ QUEUE_FILE, QUEUE_REDIS, QUEUE_OPTIONS, QUEUE_SYNC }) {
  const { createQueue, redisStore, sqliteStore } = await import('nsv/queue');
  const store = QUEUE_REDIS
    ? redisStore({ connection: QUEUE_REDIS })
    : sqliteStore({ file: QUEUE_FILE, ...(QUEUE_SYNC && { synchronous: QUEUE_SYNC }) });
  return createQueue('bench', { ...JSON.parse(QUEUE_OPTIONS ?? '{}'), store });
}

/** A redis-server on a free port, with its append-only file in `directory`. It listens on `hosts`, too. */
export async function startRedis(directory, hosts = []) {
  mkdirSync(directory, { recursive: true });
  const port = await freePort();
  let server;
  const start = async () => {
    const options = [
      '--port',
      String(port),
      '--bind',
      '127.0.0.1',
      ...hosts,
      ...(hosts.length > 0 ? ['--protected-mode', 'no'] : []),
      '--dir',
      directory,
      '--appendonly',
      'yes',
      '--save',
      '',
    ];
    server = spawn('redis-server', options, { stdio: 'ignore' });
    await Promise.race([until(() => answers(port)), once(server, 'error').then(([error]) => Promise.reject(error))]);
  };
  const stop = async () => {
    server.kill('SIGTERM');
    if (server.exitCode === null) await once(server, 'exit');
  };
  await start();
  const urlAt = (host) => `redis://${host}:${port}`;
  return { url: urlAt('127.0.0.1'), urlAt, start, stop };
}

export async function until(look, limit = 120_000) {
  for (const begin = performance.now(); performance.now() - begin < limit; await sleep(20)) {
    const found = await look();
    if (found) return found;
  }
  throw new Error(`waited in vain for ${limit} ms: ${look}`);
}

function answers(port) {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => socket.write('PING\r\n'));
    socket.on('data', (data) => {
      socket.destroy();
      resolve(String(data).startsWith('+PONG'));
    });
    socket.on('error', () => resolve(false));
  });
}

async function freePort() {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address();
  server.close();
  await once(server, 'close');
  return port;
}
