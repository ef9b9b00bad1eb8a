// bench/load.mjs: what it asks for, what it prints, and when it refuses to count.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, it, onTestFinished } from 'vitest';
import { root } from '../../helpers/nsv.ts';

/** A server, and the paths that it was asked for. `statusOf` gets the number of the request, from 1. */
async function served(statusOf: (request: number) => number) {
  const paths: string[] = [];
  const server = createServer(({ url }, response) => {
    paths.push(url!);
    response.writeHead(statusOf(paths.length)).end('some page');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  return { paths, address: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

async function load(...words: string[]) {
  const child = spawn(process.execPath, [join(root, 'bench', 'load.mjs'), ...words], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [stdout, stderr, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
  return { stdout, stderr, code };
}

it('requests only the path of the given address', async () => {
  const { paths, address } = await served(() => 200);
  const { stdout, code } = await load(`${address}/a/page?of=mine`, '--', 'sleep', '0.5');
  expect(stdout).toMatch(/^[\d,]+ requests on 10 kept connections and 50 new ones a second: 0 failed\n$/);
  expect(code).toBe(0);
  expect([...new Set(paths)]).toEqual(['/a/page?of=mine']);
});

it('counts wrong answers by status', async () => {
  const { address } = await served((request) => ({ 5: 503, 7: 503, 9: 404 })[request] ?? 200);
  const { stdout, code } = await load(address, '--', 'sleep', '0.5');
  expect(stdout).toContain('3 failed, 3 wrong (1 status 404, 2 status 503)');
  expect(code).toBe(1);
});

it('passes on the exit code of the command', async () => {
  const { address } = await served(() => 200);
  const { stdout, code } = await load('--clients', '1', '--rate', '0', address, '--', 'sh', '-c', 'exit 6');
  expect(stdout).toContain('1 kept connections and 0 new ones a second: 0 failed');
  expect(code).toBe(6);
});

it('runs no command when the server does not answer with 200', async () => {
  const { address } = await served(() => 302);
  expect(await load(address, '--', 'echo', 'run')).toEqual({
    stdout: '',
    stderr: `${address}/ does not answer with 200: status 302; the command was not run\n`,
    code: 2,
  });
});

it('reports no figures when it was starved of CPU time itself', { tags: 'full' }, async () => {
  const { address } = await served(() => 200);
  const pause = 'kill -STOP $PPID; sleep 2; kill -CONT $PPID';
  const { stdout, stderr, code } = await load(address, '--', 'sh', '-c', pause);
  expect(stderr).toMatch(/not counted, because the load generator was starved: it stood still for \d+\.\d s\n$/);
  expect(stdout).toBe('');
  expect(code).toBe(2);
});

it.each([
  [['http://127.0.0.1:1'], 'there is no command'],
  [['http://127.0.0.1:1', '--'], 'there is no command'],
  [['https://127.0.0.1:1', '--', 'true'], '"https://127.0.0.1:1" is not an address that begins with http://'],
  [['--rate', 'fast', 'http://127.0.0.1:1', '--', 'true'], '--rate must be a whole number from 0 to 9999, not "fast"'],
  [['--speed', '1', 'http://127.0.0.1:1', '--', 'true'], "Unknown option '--speed'"],
])('refuses %j', { tags: 'full' }, async (words, message) => {
  const { stderr, code } = await load(...words);
  expect(stderr.split('\n')[0]).toContain(message);
  expect(stderr).toContain('usage: node bench/load.mjs');
  expect(code).toBe(2);
});
