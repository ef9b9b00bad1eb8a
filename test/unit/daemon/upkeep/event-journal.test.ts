import { describe, expect, it } from 'vitest';
import type { DaemonEvent } from '../../../../src/daemon/events.ts';
import { createEventJournal } from '../../../../src/daemon/upkeep/event-journal.ts';
import type { EventView } from '../../../../src/ipc/journal/event-views.ts';
import { FakeClock } from '../../../helpers/fake-clock.ts';

function journal() {
  const clock = new FakeClock();
  const batches: EventView[][] = [];
  const file = {
    append: (lines: string[]) => void batches.push(lines.map((line) => JSON.parse(line) as EventView)),
    end: () => ({ file: 7, bytes: 70 }),
  };
  return { clock, batches, ...createEventJournal(file, clock) };
}

const web = { app: 'web', id: 3, slot: 1 };
const started: DaemonEvent = { type: 'start', pid: 42, logsAt: { out: 7, err: 0 }, ...web };
const restart: DaemonEvent = { type: 'restart', delay: 0, ...web };
const exits = (code: number): DaemonEvent => ({
  type: 'exit',
  pid: 42,
  exit: { code, signal: null },
  asked: false,
  death: undefined,
  ...web,
});
const asked: DaemonEvent = { type: 'command', method: 'stop', app: 'web', by: { pid: 7 } };

describe('the journal', () => {
  it('is written in batches, a moment after the first event', async () => {
    const { add, batches, clock } = journal();
    add(started);
    add(exits(1));
    expect(batches).toEqual([]);
    await clock.passes(200);
    expect(batches).toEqual([
      [
        { type: 'start', at: clock.wall() - 200, app: 'web', id: 3, slot: 1, pid: 42, logsAt: { out: 7, err: 0 } },
        expect.objectContaining({ type: 'exit', exit: { code: 1, signal: null } }),
      ],
    ]);
  });

  it('holds no messages of apps', async () => {
    const { add, batches, clock } = journal();
    add({ type: 'message', pid: 42, message: { type: 'order', data: 1 }, ...web });
    await clock.passes(60_000);
    expect(batches).toEqual([]);
  });

  it('counts the repeated events of a crash loop, and writes them less and less often', async () => {
    const { add, batches, clock } = journal();
    for (let cycle = 0; cycle < 3_000; cycle += 1) {
      add(exits(1));
      add(restart);
      await clock.passes(100);
    }
    await clock.passes(120_000);
    const lines = batches.flat().filter(({ type }) => type === 'exit');
    const counts = lines.map(({ count = 1 }) => count);
    expect(counts.reduce((sum, count) => sum + count, 0)).toBe(3_000);
    // After 1, 3, 7, 15, 31, 63 seconds, and then each minute.
    expect(counts.slice(0, 5)).toEqual([1, 9, 20, 40, 80]);
    expect(lines.length).toBeLessThan(13);
    expect(lines[1]).toMatchObject({ since: clock.wall() - 420_000 + 100, at: clock.wall() - 420_000 + 900 });
    expect(clock.pending).toBe(0);
  });

  it('counts what an app causes as often as it likes, however it differs', async () => {
    const { add, batches, clock } = journal();
    for (let time = 0; time < 5_000; time += 1) {
      add({ type: 'not-ready', pid: 42, reason: `reason ${time}`, ...web });
      add({ type: 'request-limit', pid: 42, requests: time, ...web });
    }
    await clock.passes(2_000);
    expect(batches.flat().map(({ type, count }) => [type, count])).toEqual([
      ['not-ready', undefined],
      ['request-limit', undefined],
      ['not-ready', 4_999],
      ['request-limit', 4_999],
    ]);
  });

  it('ends with what happened last to an instance', async () => {
    const { add, batches, clock } = journal();
    const ready: DaemonEvent = { type: 'ready-again', pid: 42, ...web };
    for (const reason of ['a', 'b', 'c']) {
      add({ type: 'not-ready', pid: 42, reason, ...web });
      if (reason !== 'c') add(ready);
    }
    await clock.passes(2_000);
    expect(batches.flat().map(({ type, reason, count }) => [type, reason, count])).toEqual([
      ['not-ready', 'a', undefined],
      ['ready-again', undefined, undefined],
      ['ready-again', undefined, undefined],
      ['not-ready', 'c', 2],
    ]);
  });

  it('writes what it has counted of an instance before anything new about it', () => {
    const { add, batches, flush } = journal();
    for (let time = 0; time < 3; time += 1) add(exits(1));
    add({ type: 'online', pid: 42, ...web });
    flush();
    expect(batches.flat().map(({ type, count }) => [type, count])).toEqual([
      ['exit', undefined],
      ['exit', 2],
      ['online', undefined],
    ]);
  });

  it('passes what it keeps to the log at once', async () => {
    const clock = new FakeClock();
    const logged: unknown[] = [];
    const file = { append() {}, end: () => ({ file: 7, bytes: 70 }) };
    const { add } = createEventJournal(file, clock, ({ event, repeats }) => logged.push([event.type, repeats?.count]));
    for (let time = 0; time < 100; time += 1) add(restart);
    expect(logged).toEqual([['restart', undefined]]);
    await clock.passes(1_000);
    expect(logged).toEqual([
      ['restart', undefined],
      ['restart', 99],
    ]);
  });

  it('does not merge different events', async () => {
    const { add, batches, clock } = journal();
    add(exits(1));
    add(exits(2));
    add({ ...exits(1), id: 4 } as DaemonEvent);
    add(asked);
    add({ ...asked, by: { pid: 8 } } as DaemonEvent);
    await clock.passes(200);
    expect(batches.flat()).toHaveLength(5);
    expect(batches.flat().some(({ count }) => count)).toBe(false);
  });

  it('has no timer when nothing happens', async () => {
    const { add, clock } = journal();
    add(started);
    await clock.passes(1_000);
    expect(clock.pending).toBe(0);
  });

  it('is written at once by a flush, including what was counted', () => {
    const { add, batches, end, flush } = journal();
    for (let count = 0; count < 4; count += 1) add(restart);
    flush();
    expect(batches.flat()).toMatchObject([{ type: 'restart' }, { type: 'restart', count: 3 }]);
    add(asked);
    expect(end()).toEqual({ file: 7, bytes: 70 });
    expect(batches.flat()).toHaveLength(3);
  });

  it('loses nothing, however many different events there are', async () => {
    const { add, batches, clock } = journal();
    for (let app = 0; app < 5_000; app += 1) add({ type: 'reload', app: `app-${app}` });
    await clock.passes(200);
    expect(batches.flat()).toHaveLength(5_000);
  });
});
