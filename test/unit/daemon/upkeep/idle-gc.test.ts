import { describe, expect, it, vi } from 'vitest';
import { createEventBus } from '../../../../src/daemon/events.ts';
import { collectWhenIdle, ownHeap } from '../../../../src/daemon/upkeep/idle-gc.ts';
import { FakeClock } from '../../../helpers/fake-clock.ts';

const mega = 1_000_000;

/** A heap that is empty after each collection. */
function tidied() {
  const clock = new FakeClock();
  const heap = {
    bytes: 0,
    collections: 0,
    size: () => ({ used: heap.bytes, held: heap.bytes }),
    collect() {
      heap.bytes = 0;
      heap.collections += 1;
    },
  };
  const events = createEventBus();
  const worked = collectWhenIdle(clock, heap, events);
  const works = async (bytes: number, then: number) => {
    worked();
    heap.bytes += bytes;
    await clock.passes(then);
  };
  return { clock, heap, events, works };
}

describe('the garbage of a burst of work', () => {
  it('is collected once, when the heap has not changed for half a second', async () => {
    const { clock, heap, works } = tidied();
    for (let piece = 0; piece < 10; piece += 1) await works(mega, 450);
    expect(heap.collections).toBe(0);
    await clock.passes(1_000);
    expect(heap.collections).toBe(1);
    expect(clock.pending).toBe(0);
  });

  it('is collected even during work that leaves next to nothing', async () => {
    const { heap, works } = tidied();
    await works(5 * mega, 450);
    for (let piece = 0; piece < 3; piece += 1) await works(mega / 100, 300);
    expect(heap.collections).toBe(1);
  });

  it('is left alone while it comes from only a few commands', async () => {
    const { heap, works } = tidied();
    for (let command = 0; command < 3; command += 1) await works(mega / 2, 2_000);
    expect(heap.collections).toBe(0);
    await works(mega / 2, 2_000);
    expect(heap.collections).toBe(1);
    await works(mega, 2_000);
    expect(heap.collections).toBe(1);
  });
});

it('the garbage of loading is collected at the first rest, not while a first command waits', async () => {
  const { heap, works } = tidied();
  heap.bytes = 7 * mega;
  await works(mega, 450);
  await works(mega, 450);
  expect(heap.collections).toBe(0);
  await works(0, 1_000);
  expect(heap.collections).toBe(1);
});

it('the own heap shrinks when it is collected', () => {
  const heap = ownHeap();
  let garbage: object[] | undefined = Array.from({ length: 100_000 }, (_, index) => ({ index }));
  const { used } = heap.size();
  garbage = undefined;
  heap.collect();
  expect(heap.size().used).toBeLessThan(used - mega);
  expect(garbage).toBeUndefined();
});

it('the own heap is measured without a file descriptor, even when none is left', () => {
  const opens = vi.spyOn(process, 'memoryUsage').mockImplementation(() => {
    throw new Error('EMFILE: too many open files, uv_resident_set_memory');
  });
  expect(ownHeap().size().used).toBeGreaterThan(mega);
  opens.mockRestore();
});
