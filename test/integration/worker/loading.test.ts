import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { bodies } from '../../helpers/http.ts';
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

it('a program that listens has loaded no module of Node that it does not need', async () => {
  const script = stage.path('web.cjs');
  writeFileSync(
    script,
    "require('node:http').createServer((_, response) => response.end(process.moduleLoadList.join())).listen(process.env.SOCKET);",
  );
  const env = { SOCKET: stage.path('web.sock') };
  const app = stage.group().start('web.cjs', [], { script, env });
  await app.nextMessage('loaded');
  const [loaded] = await bodies(env.SOCKET, 1);
  const names = loaded?.split(',');
  expect(names).toContain('NativeModule http');
  for (const name of ['perf_hooks', 'module', 'worker_threads', 'inspector', 'http2'])
    expect(names).not.toContain(`NativeModule ${name}`);
});
