import { hostname } from 'node:os';
import { describe, expect, it } from 'vitest';
import {
  changeQueue,
  chosenQueue,
  countQueue,
  drained,
  type QueueDaemon,
  viewQueue,
  viewQueues,
  withQueues,
} from '../../../../src/client/queues/queues.ts';
import type { OpenedQueueView, QueueView } from '../../../../src/ipc/app/views.ts';
import type { AnswerPart } from '../../../../src/ipc/protocol.ts';
import { failure } from '../../../../src/shared/errors.ts';
import { FakeClock, settle } from '../../../helpers/fake-clock.ts';

const member = (id: number, fields = {}) => ({ app: 'job', id, slot: id, pid: 100 + id, works: true, ...fields });
const opened = (fields: Partial<OpenedQueueView> = {}): OpenedQueueView => ({
  name: 'exports',
  place: '/a',
  processes: [member(0), member(1), member(2, { app: 'web', works: false })],
  ...fields,
});

/** A daemon whose processes answer by their pid: with a text, not in time (null), or not at all, as they have ended (undefined). */
function daemonWith(queues: OpenedQueueView[], answers: Record<number, unknown>) {
  const asked: number[] = [];
  let hear = (_part: AnswerPart) => {};
  const client = {
    queues: async () => queues,
    async inspect({ pid, key }: { pid: number; key: number }) {
      asked.push(pid);
      const answer = answers[pid];
      if (answer === undefined) throw failure('CANNOT_INSPECT', { name: 'job', reason: 'it is not running' });
      if (answer !== null) hear({ key, text: typeof answer === 'string' ? answer : JSON.stringify(answer) });
      return { pid, answered: answer !== null, startTime: null, attachable: false };
    },
  };
  const onPart = (collect: typeof hear) => {
    hear = collect;
  };
  const connection = { client, onPart, close: () => {} };
  return { asked, daemon: { client, open: async () => connection } as unknown as QueueDaemon };
}

const counts = { pending: 3, running: 1, completed: 7, failed: 0, paused: false };
const figures = { counts, perMinute: 2 };

describe('a queue', () => {
  it('is read from a process that does not work on it, if there is one', async () => {
    const { asked, daemon } = daemonWith([opened()], { 100: figures, 102: figures });
    expect(await viewQueues(daemon)).toEqual([{ ...opened(), ...figures }]);
    expect(asked).toEqual([102]);
  });

  it.each([
    ['does not answer in time', null],
    ['has ended', undefined],
    ['answers with something else', 'no JSON'],
    ['answers with other JSON', '[]'],
    ['answers with a wrong number', { ...figures, counts: { ...counts, pending: -1 } }],
    ['answers with too much', 'x'.repeat(70_000)],
  ])('is read from the next process if one %s', async (_what, answer) => {
    const { asked, daemon } = daemonWith([opened()], { 102: answer, 100: figures });
    expect(await countQueue(daemon, { name: 'exports' })).toMatchObject(figures);
    expect(asked).toEqual([102, 100]);
  });

  it('reports the last reason if no process answers', async () => {
    const { daemon } = daemonWith([opened()], { 100: 'no JSON', 101: null });
    const problem = 'instance 1 of "job" did not answer within 2 s';
    expect(await viewQueues(daemon)).toMatchObject([{ name: 'exports', counts: null, problem }]);
    await expect(countQueue(daemon, { name: 'exports' })).rejects.toMatchObject({
      code: 'QUEUE_SILENT',
      message: `no process tells about the queue "exports": ${problem}`,
    });
    const gone = daemonWith([opened()], {});
    await expect(countQueue(gone.daemon, { name: 'exports' })).rejects.toThrow(
      'instance 1 of "job": it is not running',
    );
  });

  it('has only the known fields of tasks, at most 50 of each state, with the process that runs each', async () => {
    const task = { id: 'a', attempts: 1, startedAt: 5, worker: `${hostname()}:101`, extra: 1 };
    const answer = { ...figures, running: [task, { ...task, worker: 'far:7' }], failed: [], pending: [] };
    const { daemon } = daemonWith([opened()], { 102: answer });
    const { running } = await viewQueue(daemon, { name: 'exports' });
    expect(running).toEqual([
      { id: 'a', attempts: 1, startedAt: 5, worker: `${hostname()}:101`, process: { app: 'job', slot: 1 } },
      { id: 'a', attempts: 1, startedAt: 5, worker: 'far:7' },
    ]);
    const many = daemonWith([opened()], { 102: { ...answer, failed: Array(60).fill({ id: 'f', attempts: 1 }) } });
    expect((await viewQueue(many.daemon, { name: 'exports' })).failed).toHaveLength(50);
  });

  it('is changed by one of its processes', async () => {
    const { asked, daemon } = daemonWith([opened()], { 102: { changed: 4 } });
    expect(await changeQueue(daemon, { name: 'exports' }, { act: 'retry' })).toBe(4);
    expect(asked).toEqual([102]);
  });

  it('is read only from the processes of an app, if one is named', async () => {
    const { asked, daemon } = daemonWith([opened()], { 100: null, 101: figures, 102: figures });
    expect(await countQueue(daemon, { name: 'exports', app: 'job' })).toEqual({ ...opened(), ...figures });
    expect(asked).toEqual([100, 101]);
  });
});

describe('the chosen queue', () => {
  const other = opened({ place: '/b', processes: [member(3, { app: 'shop' })] });

  it('is found by its name, and by its app if the name is ambiguous', () => {
    expect(chosenQueue([opened()], { name: 'exports' })).toEqual(opened());
    expect(chosenQueue([opened(), other], { name: 'exports', app: 'shop' })).toEqual(other);
  });

  it('must exist and be unambiguous', () => {
    const none = 'no running process has the queue "imports"';
    expect(() => chosenQueue([opened()], { name: 'imports' })).toThrow(none);
    expect(() => chosenQueue([opened()], { name: 'exports', app: 'shop' })).toThrow('no running process has the queue');
    const which = 'of job and web in /a; of shop in /b';
    expect(() => chosenQueue([opened(), other], { name: 'exports' })).toThrow(`there are 2 queues "exports": ${which}`);
  });
});

describe('apps', () => {
  it('list the queues that their processes have opened, and are not asked if there are none', async () => {
    const app = (name: string, queues?: string[]) => ({ spec: { name }, processes: [{ queues }] }) as never;
    const { asked, daemon } = daemonWith([opened()], { 102: figures });
    const without = [app('job'), app('shop')];
    expect(await withQueues(without, daemon)).toEqual(without);
    expect(asked).toEqual([]);
    const found = await withQueues([app('job', ['exports']), app('shop')], daemon);
    expect(found.map(({ queues }) => queues)).toEqual([[{ name: 'exports', place: '/a', ...figures }], undefined]);
  });
});

describe('draining', () => {
  /** What each look finds; the last one again and again. */
  function drain(...looks: (Partial<typeof counts> | Error)[]) {
    const clock = new FakeClock();
    const reports: string[] = [];
    const look = async (): Promise<QueueView> => {
      const found = looks.length > 1 ? looks.shift()! : looks[0]!;
      if (found instanceof Error) throw found;
      return { ...opened(), perMinute: null, counts: { ...counts, pending: 0, running: 0, ...found } };
    };
    let end: unknown = 'waits';
    drained(look, (text) => reports.push(text), clock).then(
      () => {
        end = 'drained';
      },
      (error) => {
        end = error.code;
      },
    );
    return { clock, reports, ended: () => settle().then(() => end) };
  }
  const gone = failure('NO_SUCH_QUEUE', { queue: 'exports' });

  it('ends when no task is pending or running', async () => {
    const { clock, reports, ended } = drain({ pending: 2, running: 1 }, { running: 1 }, {});
    expect(await ended()).toBe('waits');
    await clock.passes(1_000);
    expect(reports).toEqual([
      'waiting for the queue "exports": 2 pending, 1 running',
      'waiting for the queue "exports": 0 pending, 1 running',
    ]);
    await clock.passes(1_000);
    expect(await ended()).toBe('drained');
    expect(clock.pending).toBe(0);
  });

  it('waits for running tasks of a paused queue, and fails if pending ones are left', async () => {
    const { clock, ended } = drain({ pending: 2, running: 1, paused: true }, { pending: 2, paused: true });
    expect(await ended()).toBe('waits');
    await clock.passes(1_000);
    expect(await ended()).toBe('QUEUE_PAUSED');
    expect(await drain({ paused: true }).ended()).toBe('drained');
  });

  it('continues while its only process is replaced, but not forever', async () => {
    const { clock, ended } = drain({ running: 1 }, gone, gone, { running: 1 }, {});
    expect(await ended()).toBe('waits');
    await clock.passes(4_000);
    expect(await ended()).toBe('drained');
    const left = drain({ running: 1 }, gone);
    expect(await left.ended()).toBe('waits');
    await left.clock.passes(60_000);
    expect(await left.ended()).toBe('NO_SUCH_QUEUE');
    expect(await drain(gone).ended()).toBe('NO_SUCH_QUEUE');
  });
});
