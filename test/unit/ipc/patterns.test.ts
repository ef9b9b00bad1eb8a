import { describe, expect, it } from 'vitest';
import type { EventView } from '../../../src/ipc/journal/event-views.ts';
import { withPatterns } from '../../../src/ipc/patterns.ts';
import type { Client } from '../../../src/ipc/protocol.ts';
import { failure } from '../../../src/shared/errors.ts';

/** A daemon with these apps that notes what it is asked. */
function daemon(...apps: string[]) {
  const asked: [string, object][] = [];
  const world = { apps };
  const select = ({ targets }: { targets: string[] }) => {
    for (const target of targets) if (!world.apps.includes(target)) throw failure('NO_SUCH_APP', { target });
    return world.apps.filter((name) => targets.length === 0 || targets.includes(name)).map((name) => ({ name }));
  };
  const method = (name: string) => async (params: { targets: string[] }) => {
    asked.push([name, params]);
    return select(params);
  };
  const names = ['list', 'stop', 'signal', 'follow'];
  const plain = Object.fromEntries(names.map((name) => [name, method(name)])) as unknown as Client;
  let isMeant = (_event: EventView) => true;
  const client = withPatterns(plain, (filter) => {
    isMeant = filter;
  });
  const hears = (app?: string) => isMeant({ type: 'start', at: 0, ...(app !== undefined && { app }) });
  return { client, asked, world, hears };
}

describe('a target that is a regular expression', () => {
  it('reaches the daemon as the names of the apps that it matches', async () => {
    const { client, asked } = daemon('web', 'worker', 'mailer');
    await client.signal({ targets: ['mailer', '/^w/'], signal: 'SIGHUP' });
    expect(asked.at(-1)).toEqual(['signal', { targets: ['mailer', 'web', 'worker'], signal: 'SIGHUP' }]);
  });

  it('does not affect other calls', async () => {
    const { client, asked } = daemon('web');
    await client.stop({ targets: ['web'] });
    expect(asked).toEqual([['stop', { targets: ['web'] }]]);
  });

  it.each(['stop', 'follow'] as const)('is reported if it matches nothing, without effect: %s', async (method) => {
    const { client, asked } = daemon('web');
    const call = client[method]({ targets: ['/^x/'] });
    await expect(call).rejects.toMatchObject({ code: 'NO_SUCH_APP', message: expect.stringContaining('/^x/') });
    expect(asked).toEqual([['list', { targets: [] }]]);
  });

  it('is rejected before any call if it is invalid', async () => {
    const { client, asked } = daemon('web');
    await expect(client.stop({ targets: ['/(/'] })).rejects.toMatchObject({ code: 'BAD_USAGE' });
    expect(asked).toEqual([]);
  });

  it('is evaluated again if an app was deleted in the meantime', async () => {
    const { client, asked, world } = daemon('web', 'worker');
    const stopped = client.stop({ targets: ['/^w/'] });
    world.apps = ['worker'];
    await stopped;
    expect(asked.at(-1)).toEqual(['stop', { targets: ['worker'] }]);
  });

  it('does not hide that another target selects nothing', async () => {
    const { client } = daemon('web');
    const call = client.stop({ targets: ['/^w/', 'nobody'] });
    await expect(call).rejects.toMatchObject({ code: 'NO_SUCH_APP', message: expect.stringContaining('nobody') });
  });

  it('selects the events of apps that are added later, too', async () => {
    const { client, asked, hears } = daemon('web', 'mailer');
    await client.follow({ targets: ['/^w/'] });
    expect(asked.at(-1)).toEqual(['follow', { targets: [] }]);
    expect(['web', 'worker', 'mailer', undefined].map(hears)).toEqual([true, true, false, false]);
  });
});
