// Files that are swapped while the file server of `nsv serve` looks at them.
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readlinkSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createFiles } from '../../../src/serve/files.ts';
import { eventually, sees } from '../../helpers/eventually.ts';
import { RawClient } from '../../helpers/raw-client.ts';

let folder: string;
let root: string;
let server: Server;
let port: number;

beforeEach(async () => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'nsv-serve-')));
  root = join(folder, 'site');
  for (const directory of ['site/inner', 'outer']) mkdirSync(join(folder, directory), { recursive: true });
  writeFileSync(join(root, 'inner/key'), 'public');
  writeFileSync(join(folder, 'outer/key'), 'secret');
  server = createServer(createFiles({ root, spa: false, homepage: '/index.html' }));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  port = (server.address() as AddressInfo).port;
});
afterEach(() => {
  server.close();
  server.closeAllConnections();
  rmSync(folder, { recursive: true });
});

async function ask(path: string): Promise<string> {
  const client = await RawClient.open(port);
  client.asks(path, 'Connection: close');
  await client.over();
  return client.received.split('\r\n\r\n')[1]!;
}

/** Has `swapped` lead to the one and to the other in turn, for ever. */
const swapper = `
  const { renameSync, symlinkSync } = require('node:fs');
  const { swapped, targets } = require('node:worker_threads').workerData;
  for (;;) {
    for (const target of targets) {
      symlinkSync(target, swapped + '.new');
      renameSync(swapped + '.new', swapped);
    }
  }`;

it.each([
  ['a file', '/swapped', ['inner/key', '../outer/key']],
  ['a directory', '/swapped/key', ['inner', '../outer']],
])('nothing from outside is served while links to %s are swapped', async (_what, path, targets) => {
  const swaps = new Worker(swapper, { eval: true, workerData: { swapped: join(root, 'swapped'), targets } });
  const received = new Map<string, number>();
  const count = (body: string) => received.get(body) ?? 0;
  await eventually(async () => {
    for (let requests = 0; requests < 20; requests += 1) {
      const body = await ask(path);
      received.set(body, count(body) + 1);
    }
    // So both links have been seen.
    return count('public') >= 100 && sees('heard', received).size > 1;
  });
  await swaps.terminate();
  expect([...received.keys()].sort()).toEqual(['Not Found\n', 'public']);
});

describe.runIf(existsSync('/proc/self/fd'))('a request', () => {
  it.each(['/inner/key', '/long', '/inner', '/swapped', '/nothing'])('leaves no descriptor open: %s', async (path) => {
    writeFileSync(join(root, 'long'), 'x'.repeat(10_000_000));
    for (let requests = 0; requests < 10; requests += 1) {
      const client = await RawClient.open(port);
      client.asks(path);
      // The others leave before they have an answer, or while they get it.
      if (requests % 2 === 0) await client.hears(/HTTP/);
      client.leaves();
    }
    const held = () => readdirSync('/proc/self/fd').filter((fd) => targetOf(fd).startsWith(root));
    await eventually(() => sees('held', held()).length === 0);
  });

  function targetOf(fd: string): string {
    try {
      return readlinkSync(`/proc/self/fd/${fd}`);
    } catch {
      return '';
    }
  }
});
