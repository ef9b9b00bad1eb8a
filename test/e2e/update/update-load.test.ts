// Requests go on while the daemon is replaced: none fails.
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { eventually } from '../../helpers/eventually.ts';
import { freePort } from '../../helpers/http.ts';
import { hello, homeForEach } from '../../helpers/nsv.ts';
import { PassersBy } from '../../helpers/passers-by.ts';
import { variants } from '../../helpers/variants.ts';

const nsv = homeForEach();
const inherits = join(import.meta.dirname, '../../../bench/loss/apps/inherits.py');

/** What is up for a second counts as ready, and on a busy machine Node takes longer to boot. */
const listening = () => eventually(async () => (await nsv.list()).every(({ ports }) => ports.length === 1));

describe('nsv update', () => {
  variants(['kernel', 'rr', 'sticky'])('loses no request with --schedule %s', async (schedule) => {
    const port = await freePort();
    const how = ['--name', 'web', '-i', '2', '--schedule', schedule];
    await nsv.ok('start', hello, ...how, '--', String(port));
    await listening();
    const visitors = new PassersBy({ port });
    await nsv.ok('update', '--no-reload');
    await nsv.ok('update');
    await nsv.ok('scale', 'web', '3');
    await eventually(() => visitors.answered > 20);
    expect(await visitors.leave()).toEqual([]);
  });

  it('loses no request of an app on a Unix socket', { tags: 'full' }, async () => {
    const socketPath = join(nsv.directory, 'web.sock');
    await nsv.ok('start', hello, '--name', 'web', '-i', '2', '--', socketPath);
    await listening();
    const visitors = new PassersBy({ socketPath });
    await nsv.ok('update');
    expect(await visitors.leave()).toEqual([]);
  });

  it('loses no request of a program with an inherited socket, which can be reloaded', { tags: 'full' }, async () => {
    const port = await freePort();
    await nsv.ok('start', inherits, '--name', 'py', '--listen', String(port));
    const [before] = await nsv.list();
    const visitors = new PassersBy({ port });
    await nsv.ok('update');
    expect((await nsv.list())[0]?.pid).toBe(before?.pid);
    await eventually(() => visitors.answered > 20);
    expect(await visitors.leave()).toEqual([]);
    await nsv.ok('reload', 'py');
    const [after] = await nsv.list();
    expect(after).toMatchObject({ status: 'online', restarts: 0 });
    expect(after?.pid).not.toBe(before?.pid);
  });
});
