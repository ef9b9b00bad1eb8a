import { rmSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { FormatterLine } from '../../../../src/daemon/output/formatter-line.ts';
import { realClock as clock } from '../../../../src/shared/clock.ts';

const directory = await mkdtemp(join(tmpdir(), 'nsv-'));
let server: Server;

afterEach(() => {
  server.close();
  rmSync(directory, { recursive: true });
});

it('a formatter that is still starting when the daemon ends sees the connection close', async () => {
  const heard: string[] = [];
  const file = join(directory, 'formatter.sock');
  server = createServer((socket) => {
    heard.push('connected');
    socket.on('end', () => heard.push('left')).resume();
  });
  const spawn = () => setImmediate(() => server.listen(file));
  const line = new FormatterLine({ file, clock, spawn, news() {} });
  const connected = line.connect();
  await line.close(120_000);
  await connected;
  expect(heard).toEqual(['connected', 'left']);
});
