import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { afterAll, beforeAll, expect } from 'vitest';
import { socketStage } from '../../helpers/socket-stage.ts';
import { variants } from '../../helpers/variants.ts';

const stage = socketStage();
/** Accepts, and says nothing. */
const silent = createServer();
beforeAll(() => once(silent.listen(0, '127.0.0.1'), 'listening'));
afterAll(() => void silent.close());

variants(
  [
    ['waits for its own timers only', 'setInterval(() => {}, 1_000);', true],
    ['has a web server that does not listen yet', "require('node:http'); setInterval(() => {}, 1_000);", undefined],
    ['waits for a connection', "require('node:net').connect(process.env.PORT).on('error', () => {});", undefined],
    ['watches a file', "require('node:fs').watch(__filename);", undefined],
  ],
  2,
)('once loaded, a program that %s says whether it is idle', async (_, text, isIdle) => {
  const script = stage.path('idle.cjs');
  writeFileSync(script, text);
  const env = { PORT: String((silent.address() as AddressInfo).port) };
  const app = stage.group().start('idle.cjs', [], { script, env });
  expect(await app.nextMessage('loaded')).toEqual({ cmd: expect.anything(), type: 'loaded', isIdle });
});
