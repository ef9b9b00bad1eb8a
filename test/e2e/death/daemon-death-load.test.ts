// Requests go on while daemons die: none fails.
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { eventually } from '../../helpers/eventually.ts';
import { freePort } from '../../helpers/http.ts';
import { hello, homeForEach } from '../../helpers/nsv.ts';
import { PassersBy } from '../../helpers/passers-by.ts';

const nsv = homeForEach();

describe('the death of the daemon', () => {
  it('loses no request of an app whose processes share a socket, at rest and while it is reloaded and scaled', async () => {
    const port = await freePort();
    await nsv.ok('start', hello, '--name', 'web', '-i', '2', '--', String(port));
    const before = await nsv.pids();
    const visitors = new PassersBy({ port });
    await nsv.replaceDaemon();
    await nsv.replaceDaemon();
    expect(await nsv.pids()).toEqual(before);
    for (const words of [
      ['reload', 'web'],
      ['scale', 'web', '3'],
      ['reload', 'web'],
      ['scale', 'web', '2'],
    ]) {
      const command = nsv.run(...words);
      await nsv.replaceDaemon();
      await command;
    }
    await eventually(async () => (await nsv.list()).every(({ status }) => status === 'online'));
    await nsv.ok('reload', 'web');
    await nsv.ok('scale', 'web', '2');
    await eventually(() => visitors.answered > 50);
    expect(await visitors.leave()).toEqual([]);
    expect((await nsv.list()).map(({ ports, restarts }) => [ports, restarts])).toEqual([
      [[String(port)], 0],
      [[String(port)], 0],
    ]);
  });

  it.each(['rr', 'sticky'])('loses no request with --schedule %s', { tags: 'full' }, async (schedule) => {
    const port = await freePort();
    const words = ['--name', 'web', '-i', '2', '--schedule', schedule, '--', String(port)];
    await nsv.ok('start', hello, ...words);
    const before = await nsv.pids();
    const visitors = new PassersBy({ port }, 1);
    // A connection that the daemon had accepted and not handed on dies with it: what is idle loses nothing.
    await visitors.leave();
    await nsv.replaceDaemon();
    const after = new PassersBy({ port }, 1);
    await eventually(async () => (await nsv.list()).every(({ ports }) => ports.length === 1));
    expect(await nsv.pids()).toEqual(before);
    await nsv.ok('reload', 'web');
    await after.leave();
    expect([...visitors.failed, ...after.failed]).toEqual([]);
  });

  it('loses no request of an app on a Unix socket', { tags: 'full' }, async () => {
    const socketPath = join(nsv.directory, 'web.sock');
    await nsv.ok('start', hello, '--name', 'web', '-i', '2', '--', socketPath);
    const visitors = new PassersBy({ socketPath });
    await nsv.replaceDaemon();
    await nsv.ok('reload', 'web');
    expect(await visitors.leave()).toEqual([]);
  });
});
