import { createServer } from 'node:net';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { FormatterLine } from '../../../../src/daemon/output/formatter-line.ts';
import { realClock as clock } from '../../../../src/shared/clock.ts';
import { temporaryDirectory } from '../../../helpers/temporary.ts';

it('a formatter that is still starting when the daemon ends sees the connection close', async () => {
  const received: string[] = [];
  const file = join(temporaryDirectory(), 'formatter.sock');
  const server = createServer((socket) => {
    received.push('connected');
    socket.on('end', () => received.push('left')).resume();
  });
  onTestFinished(() => void server.close());
  const spawn = () => setImmediate(() => server.listen(file));
  const line = new FormatterLine({ file, clock, spawn, news() {} });
  const connected = line.connect();
  await line.close(120_000);
  await connected;
  expect(received).toEqual(['connected', 'left']);
});
