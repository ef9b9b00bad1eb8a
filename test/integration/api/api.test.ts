// `connect` of the package, against a server whose methods are the test's.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { connect } from '../../../src/api/connect.ts';
import type { Nsv } from '../../../src/api/nsv.ts';
import type { EventView } from '../../../src/ipc/journal/event-views.ts';
import { defaultLimits } from '../../../src/ipc/limits.ts';
import { type Handlers, type MethodName, methods } from '../../../src/ipc/protocol.ts';
import type { Server } from '../../../src/ipc/server.ts';
import { failure, NsvError } from '../../../src/shared/errors.ts';
import { codeOf, queueCalls } from '../../helpers/api-calls.ts';
import { apiMethods } from '../../helpers/api-methods.ts';
import { eventually } from '../../helpers/eventually.ts';
import { hello } from '../../helpers/nsv.ts';
import { temporaryHomeForEach } from '../../helpers/temporary-home.ts';
import { gate, type Scene, serve } from '../../helpers/wire.ts';

const home = temporaryHomeForEach();
let server: Server | undefined;
let nsv: Nsv;
const called: [method: string, params: object][] = [];

beforeEach(() => {
  called.length = 0;
});
afterEach(async () => {
  await nsv?.close();
  await server?.close();
});

/** Every method answers with nothing in particular, and is remembered. */
function played(handlers: Partial<Handlers> = {}): Partial<Handlers> {
  const names = Object.keys(methods) as MethodName[];
  const play = (name: MethodName, params: object, ...deps: unknown[]) => {
    called.push([name, params]);
    return (handlers[name] as ((...given: unknown[]) => unknown) | undefined)?.(params, ...deps) ?? [];
  };
  return Object.fromEntries(names.map((name) => [name, play.bind(null, name)])) as Partial<Handlers>;
}

async function open(handlers: Partial<Handlers> = {}, limits: Scene['limits'] = {}): Promise<Nsv> {
  server = await serve(home.paths, { handlers: played(handlers), limits });
  nsv = await connect({ home: home.paths.home, launch: false });
  return nsv;
}

const event = (type: EventView['type'], app: string): EventView => ({ type, app, at: 1 });

describe('the API', () => {
  it('covers every method of the protocol', async () => {
    await open({
      list: () => [{ name: 'known', status: 'online' } as never],
      describe: () => ({ environments: [], apps: [] }),
    });
    const calls: {
      [N in Exclude<keyof Nsv, 'logs' | 'close' | typeof Symbol.asyncDispose>]: () => Promise<unknown>[];
    } = {
      ping: () => [nsv.ping()],
      health: () => [nsv.health()],
      list: () => [nsv.list()],
      describe: () => [nsv.describe('web')],
      deaths: () => [nsv.deaths('web')],
      logFiles: () => [nsv.logFiles()],
      rotateLogs: () => [nsv.rotateLogs()],
      reopenLogs: () => [nsv.reopenLogs('web')],
      start: () => [nsv.start('web'), nsv.start(hello, { instances: 2 })],
      stop: () => [nsv.stop('web')],
      restart: () => [nsv.restart(['web', 3])],
      reload: () => [nsv.reload('web')],
      update: () => [nsv.update({ name: 'known', script: hello })],
      delete: () => [nsv.delete('web')],
      scale: () => [nsv.scale('web', '+1')],
      signal: () => [nsv.signal('web', 'SIGUSR2')],
      send: () => [nsv.send('web', 'hello\n')],
      message: () => [nsv.message('web', 'topic', { a: [1] })],
      trigger: () => [nsv.trigger('web', 'purge', 'all')],
      events: () => [nsv.events({ targets: 'web' }).subscribed],
      runtimeSettings: () => [nsv.runtimeSettings()],
      changeRuntimeSettings: () => [nsv.changeRuntimeSettings('web', { set: { limit: 1 } })],
      ...queueCalls(nsv),
      reset: () => [nsv.reset('web')],
      save: () => [nsv.save()],
      resurrect: () => [nsv.resurrect()],
      kill: () => [],
    };
    await Promise.all(Object.values(calls).flatMap((call) => call()));
    const ended = nsv.kill();
    const isCalled = (name: string) => called.some(([method]) => method === name);
    await eventually(() => isCalled('kill'));
    await server?.close();
    await ended;
    expect(Object.keys(apiMethods).filter((name) => !isCalled(name))).toEqual([]);
    expect(called).toContainEqual(['restart', { targets: ['web', '3'] }]);
    expect(called).toContainEqual(['scale', { targets: ['web'], instances: '+1' }]);
    expect(called).toContainEqual(['trigger', { targets: ['web'], action: 'purge', param: 'all' }]);
    expect(called).toContainEqual(['send', { targets: ['web'], text: 'hello\n' }]);
  });

  it('rejects an empty list of targets instead of taking it for all', async () => {
    await open();
    for (const none of [[], undefined]) {
      expect(await codeOf(nsv.stop(none as never))).toBe('BAD_USAGE');
      expect(await codeOf(nsv.delete(none as never))).toBe('BAD_USAGE');
    }
    expect(await codeOf(nsv.list([]))).toBe('BAD_USAGE');
    expect(called).toEqual([]);
  });

  it('reports what a call waits for each time that changes', async () => {
    await open({
      restart: (_params, report) => {
        for (const text of ['waiting for a', 'waiting for a', 'waiting for b']) report(text);
        return [];
      },
    });
    const received: string[] = [];
    await nsv.restart('web', { onProgress: (text) => received.push(text) });
    expect(received).toEqual(['waiting for a', 'waiting for b']);
  });

  it('makes more calls at once than the daemon allows', { tags: 'full' }, async () => {
    await open();
    const count = defaultLimits.calls + 100;
    await Promise.all(Array.from({ length: count }, () => nsv.save()));
    expect(called).toHaveLength(count);
  });

  it('reads settings as a config file does, and reports all mistakes at once', async () => {
    await open();
    const failed = nsv.start(hello, { instnaces: 2, kill_timeout: 'soon' } as never);
    await expect(failed).rejects.toMatchObject({ code: 'BAD_APP', message: expect.stringContaining('"instances"?') });
    await expect(failed).rejects.toThrow('kill_timeout must be a duration');
    expect(called).toEqual([]);
  });

  it('ignores undefined environment variables, as Node does for a child', async () => {
    await open();
    const other = await connect({ home: home.paths.home, launch: false, env: { A: '1', B: undefined } });
    await other.start(hello, { env: { C: undefined, D: '2' } });
    await other.close();
    expect(called).toContainEqual([
      'launch',
      expect.objectContaining({ app: expect.objectContaining({ env: { A: '1' }, fileEnv: { D: '2' } }) }),
    ]);
  });

  it('rejects settings for a config file, which has its own', async () => {
    await open();
    await expect(nsv.start('nsv.config.js', { instances: 2 })).rejects.toMatchObject({ code: 'BAD_USAGE' });
    expect(called).toEqual([]);
  });

  it('starts the apps of a config in the order of their dependencies', async () => {
    await open();
    const db = { name: 'db', script: hello };
    await nsv.start({ apps: [{ name: 'web', script: hello, depends_on: 'db' }, db] });
    const names = called.flatMap(([method, params]) =>
      method === 'launch' ? (params as { app: { name: string } }).app.name : [],
    );
    expect(names).toEqual(['db', 'web']);
  });

  it('gives a known app its new settings', async () => {
    await open({ list: () => [{ name: 'hello', status: 'online' } as never] });
    await nsv.update({ script: hello }, { how: 'restart' });
    expect(called.at(-1)).toMatchObject(['update', { how: 'restart', parallel: 1, renewEnv: false }]);
  });
});

describe('a connection', () => {
  it('is rejected when no daemon runs and none may be launched', async () => {
    expect(await codeOf(connect({ home: home.paths.home, launch: false }))).toBe('DAEMON_NOT_RUNNING');
  });

  it('rejects pending calls when the daemon dies, and reconnects to the next one', async () => {
    const { opened } = gate();
    await open({ save: () => opened as never }, { drainTimeout: 1 });
    const saving = codeOf(nsv.save());
    await eventually(() => called.length === 1);
    await server?.close();
    expect(await saving).toBe('DAEMON_UNREACHABLE');
    expect(await codeOf(nsv.list())).toBe('DAEMON_NOT_RUNNING');
    server = await serve(home.paths, { handlers: played() });
    expect(await Promise.all([nsv.list(), nsv.list('web')])).toEqual([[], []]);
  });

  it('rejects pending and later calls with CLOSED once it is closed', async () => {
    const { opened, open: finish } = gate();
    await open({ save: () => opened.then(() => ({ file: 'f', apps: 0, auto: false })) });
    const saving = codeOf(nsv.save());
    await eventually(() => called.length === 1);
    await nsv.close();
    finish();
    expect([await saving, await codeOf(nsv.list())]).toEqual(['CLOSED', 'CLOSED']);
  });

  it('stays open when another one is closed', async () => {
    await open();
    const other = await connect({ home: home.paths.home, launch: false });
    await other.close();
    expect(await nsv.list()).toEqual([]);
  });
});

describe('events', () => {
  /** How many subscriptions there are, and how to tell them something. */
  function newsroom() {
    const lines = new Set<(event: EventView) => void>();
    const { opened, open: end } = gate();
    const follow: Handlers['follow'] = (_params, _report, line) => {
      const hear = (news: EventView) => line.notify('event', news);
      lines.add(hear);
      line.onClose(() => lines.delete(hear));
      return opened.then(() => ({}));
    };
    const tell = (news: EventView) => {
      for (const line of lines) line(news);
    };
    return { follow, lines, end, tell };
  }

  it('arrive in order from the subscription on, until the loop is left', async () => {
    const { follow, lines, tell } = newsroom();
    await open({ follow });
    const events = nsv.events();
    await events.subscribed;
    tell(event('start', 'web'));
    tell(event('online', 'web'));
    const received: string[] = [];
    for await (const { type } of events) {
      received.push(type);
      if (type === 'online') break;
    }
    expect(received).toEqual(['start', 'online']);
    await eventually(() => lines.size === 0);
    expect(await events.next()).toEqual({ done: true, value: undefined });
  });

  it('end after the last one when the daemon ends', async () => {
    const { follow, tell, end } = newsroom();
    await open({ follow });
    const events = nsv.events();
    await events.subscribed;
    tell(event('delete', 'web'));
    end();
    const received: string[] = [];
    for await (const { type } of events) received.push(type);
    expect(received).toEqual(['delete']);
  });

  it('end when the daemon that has taken over has already ended', async () => {
    await open({ follow: newsroom().follow });
    const events = nsv.events();
    await events.subscribed;
    server?.refuse(failure('HANDED_OVER', {}));
    await server?.close();
    expect(await events.next()).toEqual({ done: true, value: undefined });
  });

  it('throw when the daemon dies', async () => {
    await open({ follow: () => gate().opened as never }, { drainTimeout: 1 });
    const events = nsv.events();
    await events.subscribed;
    await server?.close();
    expect(await codeOf(events.next())).toBe('DAEMON_UNREACHABLE');
  });

  it('throw for an unknown target, on subscription and in the iteration', async () => {
    const refuse = () => {
      throw new NsvError({ code: 'NO_SUCH_APP', message: 'no', hint: '' });
    };
    await open({ follow: refuse });
    const events = nsv.events({ targets: 'nobody' });
    expect(await codeOf(events.subscribed)).toBe('NO_SUCH_APP');
    expect(await codeOf(events.next())).toBe('NO_SUCH_APP');
  });

  it('reject with an AbortError when their signal aborts', async () => {
    const { follow, lines } = newsroom();
    await open({ follow });
    const abort = new AbortController();
    const events = nsv.events({ signal: abort.signal });
    await events.subscribed;
    const next = events.next();
    abort.abort();
    await expect(next).rejects.toThrow(expect.objectContaining({ name: 'AbortError' }));
    await eventually(() => lines.size === 0);
  });

  it('end without an error when the connection is closed', async () => {
    const { follow, lines } = newsroom();
    await open({ follow });
    const events = nsv.events();
    await events.subscribed;
    const next = events.next();
    await nsv.close();
    expect(await next).toEqual({ done: true, value: undefined });
    await eventually(() => lines.size === 0);
  });
});
