// The daemon that the screen speaks to, and the next one.
import { expect, it } from 'vitest';
import type { Connection } from '../../../src/ipc/client.ts';
import type { Client } from '../../../src/ipc/protocol.ts';
import { ScreenConnection } from '../../../src/monit/link.ts';
import { failure } from '../../../src/shared/errors.ts';
import { settle } from '../../helpers/fake-clock.ts';
import { instance } from './models.ts';

function daemon(pid: number, client: Partial<Client>): { connection: Connection; dies(): void } {
  const closed = deferred();
  const connection = { client, hello: { pid }, closed: closed.promise, close: closed.resolve } as unknown as Connection;
  return { connection, dies: closed.resolve };
}

function deferred() {
  let resolve = () => {};
  const promise = new Promise<void>((settled) => {
    resolve = settled;
  });
  return { promise, resolve };
}

const only = (id: number): Partial<Client> => ({
  async list({ targets }) {
    const strange = targets.find((target) => target !== String(id));
    if (strange) throw failure('NO_SUCH_APP', { target: strange });
    return [instance(id)];
  },
});

it('the screen connects to a daemon once, and to the next one when it has gone', async () => {
  const daemons = [daemon(7, only(1)), daemon(8, only(1))];
  const received: string[] = [];
  let opened = 0;
  const link = new ScreenConnection(async () => daemons[opened++]!.connection);
  link.onLost(() => received.push('lost'));
  link.onReplaced((pid) => received.push(`replaced by ${pid}`));
  await link.list([]);
  await link.list([]);
  expect([opened, received]).toEqual([1, []]);
  daemons[0]!.dies();
  await settle();
  expect(received).toEqual(['lost']);
  await link.list([]);
  expect([opened, received]).toEqual([2, ['lost', 'replaced by 8']]);
});

it('the screen lists the targets that are left', async () => {
  const link = new ScreenConnection(async () => daemon(7, only(1)).connection);
  await expect(link.listExactly(['1', 'gone'])).rejects.toMatchObject({ code: 'NO_SUCH_APP' });
  expect(await link.list(['1', 'gone', '1'])).toEqual([instance(1)]);
  expect(await link.list(['gone'])).toEqual([]);
});

it('the screen requests changes of one process', async () => {
  const calls: unknown[] = [];
  const method = (name: string) => async (params: unknown) => void calls.push([name, params]);
  const client = { restart: method('restart'), reload: method('reload'), stop: method('stop'), start: method('start') };
  const link = new ScreenConnection(async () => daemon(7, client as never).connection);
  for (const request of ['restart', 'reload', 'stop', 'start'] as const) await link.ask(request, 3);
  expect(calls).toEqual([
    ['restart', { targets: ['3'] }],
    ['reload', { targets: ['3'], parallel: 1 }],
    ['stop', { targets: ['3'] }],
    ['start', { targets: ['3'], wait: true }],
  ]);
});
