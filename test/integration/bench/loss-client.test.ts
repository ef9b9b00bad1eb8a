// The client that counts lost requests: a server that hangs, and a client that gets no time to read what has come.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, it, onTestFinished } from 'vitest';
// @ts-expect-error: a script without types
import { Http1Connection } from '../../../bench/loss/http1.mjs';
import { endChild } from '../../helpers/proc.ts';

/** Answers all but the requests for /never. A process of its own: it answers while the client is held up. */
const source = `
  const { createServer } = require('node:http');
  const server = createServer(({ url }, response) => url === '/never' || response.end('hello ' + url + ' 0\\n'));
  server.listen(0, '127.0.0.1', () => console.log(server.address().port));`;

async function served(): Promise<number> {
  const child = spawn(process.execPath, ['-e', source], { stdio: ['ignore', 'pipe', 'inherit'] });
  onTestFinished(() => endChild(child));
  const [port] = await once(child.stdout, 'data');
  return Number(port);
}

const holdUp = (milliseconds: number) => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, milliseconds);

it('does not mistake its own pause for a silent server', { tags: 'full' }, async () => {
  const connection = new Http1Connection({ host: '127.0.0.1', port: await served(), timeout: 1_000 });
  expect(await connection.request('/first', undefined, false)).toEqual({});
  const answer = connection.request('/second', undefined, true);
  // The request has left; the answer comes, and the time is over, while nothing can be read. Timers are next.
  await new Promise(setImmediate);
  holdUp(3_000);
  expect(await answer).toEqual({});
});

it('counts a request without an answer as hung', async () => {
  const connection = new Http1Connection({ host: '127.0.0.1', port: await served(), timeout: 100 });
  expect(await connection.request('/never', undefined, true)).toMatchObject({ kind: 'hung' });
});
