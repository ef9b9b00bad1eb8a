// A descriptor of a regular file, sent over a channel, aborts the Node that receives it: for an app of its own user that
// is the daemon, but not for long.
// @module-tag full
import { expect, it } from 'vitest';
import { eventually } from '../../helpers/eventually.ts';
import { ask, freePort } from '../../helpers/http.ts';
import { fixture, hello, homeForEach, isAlive, processesWith } from '../../helpers/nsv.ts';
import { PassersBy } from '../../helpers/passers-by.ts';
import { procFile } from '../../helpers/proc.ts';

const nsv = homeForEach();
const isBroker = (pid: number) => procFile(pid, 'cmdline')?.includes('broker/main.js');
const broker = () =>
  eventually(() => processesWith(`NSV_HOME=${nsv.home}`).find((pid) => isAlive(pid) && isBroker(pid)));

it('an app that keeps sending file descriptors crashes the daemon only once, and no request is lost', async () => {
  const [port, own] = [await freePort(), await freePort()];
  await nsv.ok('start', hello, '--name', 'other', '-i', '2', '--', String(own));
  await nsv.ok('start', fixture('sends-file.cjs'), '--name', 'web', '-i', '2', '--', String(port));
  const pids = await nsv.pids();
  const visitors = [new PassersBy({ port }), new PassersBy({ port: own })];
  const first = nsv.daemonPid!;
  await ask(port, { path: '/file' });
  const isSucceeded = () => /the guard[\s\S]*"daemon ready"/.test(nsv.log());
  await eventually(() => !isAlive(first) && nsv.daemonPid !== first && isSucceeded());
  const second = nsv.daemonPid!;
  expect(nsv.log()).toContain('exit code 134');
  const returned = () => eventually(async () => (await nsv.list()).every(({ ports }) => ports.length === 1));
  for (let turn = 0; turn < 5; turn += 1) {
    const current = await broker();
    // A process that is not connected keeps the message without the descriptor.
    await eventually(async () => !isAlive(current) || ((await ask(port, { path: '/file' })) && false));
  }
  await broker();
  expect(nsv.daemonPid).toBe(second);
  expect(await nsv.pids()).toEqual(pids);
  await returned();
  await nsv.ok('reload', 'all');
  for (const each of visitors) expect(await each.leave()).toEqual([]);
  expect(nsv.daemonPid).toBe(second);
  expect(nsv.log().match(/the guard/g)).toHaveLength(1);

  // The next daemon reads the channels itself.
  const last = await broker();
  await nsv.ok('update', '--no-reload');
  await eventually(() => !isAlive(last));
  await returned();
  expect(processesWith(`NSV_HOME=${nsv.home}`).filter((pid) => isAlive(pid) && isBroker(pid))).toEqual([]);
});
