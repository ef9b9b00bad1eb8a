// A hundred programs that fail again and again, without a limit: people are still answered, and the app beside them is reloaded.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { eventually } from '../../helpers/eventually.ts';
import { ask, freePort } from '../../helpers/http.ts';
import { hello, homeForEach } from '../../helpers/nsv.ts';

const nsv = homeForEach();

it('does not let programs that fail again and again silence the daemon', {
  tags: 'full',
  timeout: 120_000,
}, async () => {
  const port = await freePort();
  await nsv.ok('start', hello, '--name', 'web', '--', String(port));
  const script = nsv.script('failing.cjs', "throw new Error('no database')");
  const apps = Array.from({ length: 100 }, (_, index) => ({ name: `f${index}`, script, max_restarts: 'unlimited' }));
  const file = join(nsv.directory, 'nsv.config.json');
  writeFileSync(file, JSON.stringify({ apps }));
  await nsv.ok('start', file, '--no-wait');
  const counts = async () => (await nsv.list()).filter(({ name }) => name !== 'web').map(({ restarts }) => restarts);
  await eventually(async () => (await counts()).every((count) => count > 1));
  const before = await nsv.pids('web');
  await nsv.ok('reload', 'web');
  expect(await nsv.pids('web')).not.toEqual(before);
  expect(await ask(port)).toMatchObject({ ok: true });
  expect(await nsv.ok('events', 'f7', '--nostream')).toContain('too many restarts at a time');
  await nsv.ok('stop', 'all');
  expect((await nsv.list()).every(({ status }) => status === 'stopped')).toBe(true);
});
