// Events on the wire: who follows them, for how long, and who is let go.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Registry } from '../../../src/daemon/apps/registry.ts';
import { createFollowing } from '../../../src/daemon/control/following.ts';
import { createEventBus, type DaemonEvent, type EventBus } from '../../../src/daemon/events.ts';
import type { Server } from '../../../src/ipc/server.ts';
import { eventually } from '../../helpers/eventually.ts';
import { FakeWorld } from '../../helpers/fake-host.ts';
import { temporaryHomeForEach } from '../../helpers/temporary-home.ts';
import { RawClient, serve } from '../../helpers/wire.ts';

const home = temporaryHomeForEach();
let server: Server;
let registry: Registry;
let events: EventBus;
let following: ReturnType<typeof createFollowing>;
/** How many listen inside the daemon. */
let listeners = 0;

beforeEach(async () => {
  const world = new FakeWorld();
  registry = new Registry();
  registry.add(world.group({ name: 'web', instances: 2 }));
  registry.add(world.group({ name: 'worker', namespace: 'jobs' }));
  const bus = createEventBus();
  events = {
    emit: bus.emit,
    subscribe(listener) {
      listeners += 1;
      const forget = bus.subscribe(listener);
      return () => {
        listeners -= 1;
        forget();
      };
    },
  };
  following = createFollowing({ registry, events, clock: world.clock, journalEnd: () => ({ file: 7, bytes: 70 }) });
  server = await serve(home.paths, { handlers: { follow: following.follow } });
});

afterEach(async () => {
  await server.close();
  // The server has gone, and with it whoever listened.
  await eventually(() => listeners === 0);
});

async function follower(...targets: string[]): Promise<RawClient> {
  const client = await RawClient.connect(home.paths);
  client.send({ jsonrpc: '2.0', id: 1, method: 'follow', params: { targets } });
  // Answered in order: by then the daemon has taken the other.
  await client.ask({ id: 2, method: 'ping' });
  return client;
}

const said = (app: string, slot: number, data: unknown): DaemonEvent => {
  const id = registry.find(app)!.processes[slot]!.id;
  return { type: 'message', app, id, slot, pid: 7, message: { type: 'order', data } };
};

const received = ({ messages }: RawClient) =>
  messages.flatMap(({ method, params }) => (method === 'event' ? [`${params.app} ${params.type}`] : []));

describe('a follower', () => {
  it('gets messages with their time', async () => {
    const client = await follower();
    events.emit(said('web', 0, { n: 1 }));
    const { params } = await client.hears(({ method }) => method === 'event');
    expect(params).toMatchObject({ type: 'message', app: 'web', slot: 0, message: { type: 'order', data: { n: 1 } } });
    expect(params.at).toEqual(expect.any(Number));
    client.socket.destroy();
    await client.closed;
  });

  it.each<[string[], string[]]>([
    [[], ['web message', 'web message', 'worker message', 'late message', 'web reload', 'web delete', 'end message']],
    [['web'], ['web message', 'web message', 'web reload', 'web delete']],
    [['0'], ['web message', 'web reload', 'web delete']],
    [['jobs'], ['worker message', 'late message']],
  ])('gets only the events of its targets: %j, %j', async (targets, expected) => {
    const client = await follower(...targets);
    events.emit(said('web', 0, 1));
    events.emit(said('web', 1, 1));
    events.emit(said('worker', 0, 1));
    registry.add(new FakeWorld().group({ name: 'late', namespace: 'jobs' }));
    events.emit(said('late', 0, 1));
    events.emit({ type: 'reload', app: 'web' });
    registry.remove(registry.find('web')!);
    events.emit({ type: 'delete', app: 'web' });
    events.emit({ ...said('worker', 0, 1), app: 'end' } as DaemonEvent);
    await client.ask({ id: 3, method: 'ping' });
    expect(received(client)).toEqual(expected);
    client.socket.destroy();
    await client.closed;
  });

  it('gets the end of the journal first, if it asks', async () => {
    const client = await RawClient.connect(home.paths);
    client.send({ jsonrpc: '2.0', id: 1, method: 'follow', params: { targets: [], journal: true } });
    await client.ask({ id: 2, method: 'ping' });
    events.emit(said('web', 0, 1));
    await client.hears(({ method }) => method === 'event');
    const reported = client.messages.filter(({ method }) => method === 'following' || method === 'event');
    expect(reported).toMatchObject([{ method: 'following', params: { file: 7, bytes: 70 } }, { method: 'event' }]);
    client.socket.destroy();
    await client.closed;
  });

  it('gets only the commands that concern its app', async () => {
    const client = await follower('web');
    const command = { type: 'command', method: 'stop', by: {} } as const;
    events.emit({ ...command, app: 'worker' });
    events.emit({ ...command, apps: ['worker', 'web'] });
    events.emit({ ...command, apps: [] });
    events.emit({ type: 'daemon', pid: 7, detail: 'starts' });
    events.emit({ ...command, app: 'web' });
    await client.ask({ id: 3, method: 'ping' });
    const reported = client.messages.filter(({ method }) => method === 'event').map(({ params }) => params);
    expect(reported).toMatchObject([{ apps: ['worker', 'web'] }, { app: 'web' }]);
    client.socket.destroy();
    await client.closed;
  });

  it('gets an error for an unknown target', async () => {
    const client = await RawClient.connect(home.paths);
    const { error } = await client.ask({ id: 1, method: 'follow', params: { targets: ['nobody'] } });
    expect(error.data).toMatchObject({ code: 'NO_SUCH_APP' });
    client.socket.destroy();
  });

  it('is answered when the daemon ends', async () => {
    const client = await follower();
    following.end();
    expect(await client.hears(({ id }) => id === 1)).toMatchObject({ result: {} });
    client.socket.destroy();
  });

  it('is answered at once if the daemon is already ending', async () => {
    following.end();
    const client = await RawClient.connect(home.paths);
    expect(await client.ask({ id: 1, method: 'follow', params: { targets: [] } })).toMatchObject({ result: {} });
    client.socket.destroy();
  });

  it('is disconnected and unsubscribed when it does not read', async () => {
    const client = await follower();
    client.socket.pause();
    const data = 'x'.repeat(100_000);
    while (listeners > 0) {
      events.emit(said('web', 0, data));
      await new Promise((resolve) => setImmediate(resolve));
    }
    client.socket.resume();
    await client.closed;
  });
});
