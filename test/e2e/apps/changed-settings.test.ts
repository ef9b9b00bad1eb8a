// @module-tag full
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { eventually } from '../../helpers/eventually.ts';
import { ask, freePort } from '../../helpers/http.ts';
import { homeForEach } from '../../helpers/nsv.ts';

const nsv = homeForEach();

it('an app that gets a limit of requests by a reload of its config file is replaced when it has reached it', async () => {
  const port = await freePort();
  const script = nsv.script('web.cjs', `require('http').createServer((_, res) => res.end('ok')).listen(${port});`);
  const config = join(nsv.directory, 'nsv.config.json');
  const write = (settings: object) =>
    writeFileSync(config, JSON.stringify({ apps: [{ name: 'web', script, min_uptime: 50, ...settings }] }));
  write({});
  await nsv.ok('startOrReload', config);
  write({ max_requests: 50 });
  await nsv.ok('startOrReload', config);
  const [before] = await nsv.list();
  for (let count = 0; count < 80; count += 1) expect(await ask(port)).toEqual({ ok: true, body: 'ok' });
  await eventually(async () => (await nsv.list())[0]?.pid !== before!.pid);
});
