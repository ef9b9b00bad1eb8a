import { expect, it } from 'vitest';
import { persistBeforeReply } from '../../../../src/daemon/control/persist-before-reply.ts';
import type { Handlers, MethodName } from '../../../../src/ipc/protocol.ts';
import { fakeHandlers, gate } from '../../../helpers/wire.ts';

const nothing = async () => ({}) as never;

function call(name: MethodName, settled: () => Promise<void>): Promise<unknown> {
  const handlers = persistBeforeReply(fakeHandlers({ [name]: nothing } as Partial<Handlers>), settled);
  return Promise.resolve((handlers[name] as () => unknown)());
}

it('a change is answered once it is written', async () => {
  const written = gate();
  let isAnswered = false;
  const answer = call('stop', () => written.opened).then(() => {
    isAnswered = true;
  });
  await new Promise((resolve) => setImmediate(resolve));
  expect(isAnswered).toBe(false);
  written.open();
  await answer;
});

it.each(['list', 'follow', 'trigger', 'kill'] as const)(
  '"%s" is answered while nothing can be written',
  async (name) => {
    await expect(call(name, () => new Promise(() => {}))).resolves.toEqual({});
  },
);
