// Apps that call `process.disconnect()`: Node and the app see a closed channel, and nsv goes on using it.
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { eventually } from '../../helpers/eventually.ts';
import { freePort } from '../../helpers/http.ts';
import { homeForEach } from '../../helpers/nsv.ts';
import { answer, reloaded, reloadedByNextDaemon, stopped } from '../../helpers/under-way.ts';
import { variants } from '../../helpers/variants.ts';

const nsv = homeForEach();

/** Disconnects once it listens. */
const app = `
require('http').createServer(${answer}).listen(+process.argv[2], () => {
  process.on('disconnect', () => console.log('disconnected'));
  process.disconnect();
});
`;

async function start(...options: string[]): Promise<number> {
  const port = await freePort();
  const script = nsv.script('app.js', app);
  await nsv.ok('start', script, '--name', 'web', ...options, '--', String(port));
  const views = await nsv.list();
  await eventually(() => views.every(({ outFile }) => readFileSync(outFile!, 'utf8').includes('disconnected')));
  return port;
}

describe('an app that disconnects when it listens', () => {
  variants(['kernel', 'rr'])('loses no request in a reload with --schedule %s', async (schedule) => {
    const port = await start('-i', '2', '--schedule', schedule);
    const answers = await reloaded(nsv, port);
    const pids = (await nsv.list()).map(({ pid }) => String(pid));
    expect(pids).toContain(answers.at(-1));
  });

  it('answers requests in flight when it is stopped', { tags: 'full' }, async () => {
    const port = await start('--kill-timeout', '60s');
    await stopped(nsv, port);
  });

  it.each(['kernel', 'rr'])('is reloaded by the next daemon: --schedule %s', { tags: 'full' }, async (schedule) => {
    await reloadedByNextDaemon(nsv, await start('--schedule', schedule));
  });

  it('cannot be triggered: the command fails at once with the reason', { tags: 'full' }, async () => {
    await start();
    const { code, stderr } = await nsv.run('trigger', 'web', 'act');
    expect(code).not.toBe(0);
    expect(stderr).toContain('it has disconnected');
  });
});
