import { expect, it } from 'vitest';
import { Registry } from '../../../../src/daemon/apps/registry.ts';
import { noteCommands } from '../../../../src/daemon/control/note-commands.ts';
import type { DaemonEvent } from '../../../../src/daemon/events.ts';
import type { CallerView } from '../../../../src/ipc/journal/event-views.ts';
import type { Handlers, MethodName } from '../../../../src/ipc/protocol.ts';
import { FakeWorld } from '../../../helpers/fake-host.ts';
import { fakeHandlers } from '../../../helpers/wire.ts';

const by = { user: 'ann', terminal: '/dev/pts/3' };

async function noted(name: MethodName, params: object, run = async () => ({})): Promise<unknown[]> {
  const world = new FakeWorld();
  const registry = new Registry();
  registry.add(world.group({ name: 'web', instances: 2 }));
  registry.add(world.group({ name: 'worker' }));
  const reported: unknown[] = [];
  const handlers = noteCommands(fakeHandlers({ [name]: run } as Partial<Handlers>), {
    registry,
    events: { emit: (event: DaemonEvent) => reported.push(event) },
    flush: () => reported.push('written'),
  });
  const handle = handlers[name] as (params: object, report: unknown, line: unknown, caller: CallerView) => unknown;
  try {
    await handle(params, undefined, undefined, by);
  } catch {
    reported.push('failed');
  }
  return reported;
}

it.each<[MethodName, object, object]>([
  ['restart', { targets: ['web'] }, { method: 'restart', app: 'web' }],
  ['stop', { targets: ['0'] }, { method: 'stop', app: 'web' }],
  ['stop', { targets: [] }, { method: 'stop', apps: ['web', 'worker'] }],
  ['delete', { targets: ['nobody'] }, { method: 'delete', apps: [] }],
  ['launch', { app: { name: 'new' } }, { method: 'launch', app: 'new' }],
  ['send', { targets: ['worker'], text: 'secret' }, { method: 'send', app: 'worker' }],
  ['inspect', { id: 1, question: { kind: 'gc' } }, { method: 'gc', app: 'web' }],
  ['kill', {}, { method: 'kill', apps: [] }],
])('a command emits an event, which is written before the reply: %s with %j', async (name, params, about) => {
  const done = async () => ({});
  expect(await noted(name, params, done)).toEqual([{ type: 'command', ...about, by }, 'written']);
});

it.each<[MethodName, object]>([
  ['list', { targets: [] }],
  ['follow', { targets: [] }],
  ['inspect', { id: 0, question: { kind: 'cpu', ms: 100, interval: 1_000 } }],
])('a command that only reads emits no event: %s', async (name, params) => {
  expect(await noted(name, params)).toEqual([]);
});

it('a failed command emits an event with the reason', async () => {
  const fail = () => Promise.reject(new Error('no room'));
  expect(await noted('scale', { targets: ['web'], instances: 3 }, fail)).toEqual([
    { type: 'command', method: 'scale', app: 'web', by },
    { type: 'command-failed', method: 'scale', app: 'web', detail: 'no room' },
    'written',
    'failed',
  ]);
});
