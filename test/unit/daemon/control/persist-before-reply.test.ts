import { expect, it } from 'vitest';
import { persistBeforeReply } from '../../../../src/daemon/control/persist-before-reply.ts';
import { effectOf, type Handlers, type MethodName, methods } from '../../../../src/ipc/protocol.ts';
import { failure } from '../../../../src/shared/errors.ts';
import { settle, watched } from '../../../helpers/fake-clock.ts';
import { fakeHandlers, gate } from '../../../helpers/wire.ts';

const nothing = async () => ({}) as never;

function call(name: MethodName, recorded: () => Promise<void>, run: () => Promise<never> = nothing): Promise<unknown> {
  const handlers = persistBeforeReply(fakeHandlers({ [name]: run } as Partial<Handlers>), recorded);
  return Promise.resolve((handlers[name] as () => unknown)());
}

it('a change is answered once it is written', async () => {
  const written = gate();
  const answer = watched(call('stop', () => written.opened));
  await settle();
  expect(answer.isOver).toBe(false);
  written.open();
  await answer.over;
});

it.each(['list', 'follow', 'trigger', 'kill'] as const)(
  '"%s" is answered even if nothing can be written',
  async (name) => {
    await expect(call(name, () => new Promise(() => {}))).resolves.toEqual({});
  },
);

const unrecorded = failure('NOT_RECORDED', { file: '/state.json', detail: 'ENOSPC: no space left' });
const changing = (Object.keys(methods) as MethodName[]).filter((name) => effectOf(name).persists);

it.each(changing)('"%s" fails if its changes cannot be written', async (name) => {
  await expect(call(name, () => Promise.reject(unrecorded))).rejects.toBe(unrecorded);
});

it('the persisted methods include all commands that change the apps', () => {
  const some = ['launch', 'start', 'stop', 'restart', 'reload', 'update', 'delete', 'scale', 'reset', 'resurrect'];
  expect(changing).toEqual(expect.arrayContaining([...some, 'changeRuntimeSettings']));
});

it('a failed command reports its own error first, then the failed write', async () => {
  const own = failure('NOT_READY', { name: 'web', reason: 'exit code 1' }, { details: ['Error: no'] });
  const answer = call(
    'start',
    () => Promise.reject(unrecorded),
    () => Promise.reject(own),
  );
  await expect(answer).rejects.toMatchObject({ code: 'NOT_READY', details: ['Error: no', unrecorded.message] });
  const other = call(
    'start',
    () => Promise.resolve(),
    () => Promise.reject(own),
  );
  await expect(other).rejects.toBe(own);
});
