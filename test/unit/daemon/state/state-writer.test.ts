import { describe, expect, it } from 'vitest';
import { createStateWriter } from '../../../../src/daemon/state/state-writer.ts';
import { FakeClock, settle } from '../../../helpers/fake-clock.ts';

function stage() {
  const clock = new FakeClock();
  const world = {
    state: 0,
    kept: [] as number[],
    written: [] as number[],
    reported: [] as string[],
    isFull: false,
    toTake: 0,
    parts: 0,
    prepared: 0,
    begun: 0,
  };
  let taking = 0;
  const writer = createStateWriter({
    clock: { now: () => clock.now() + taking, wall: () => clock.wall(), after: (ms, run) => clock.after(ms, run) },
    *prepare() {
      for (let part = 0; part < world.parts; part += 1) {
        taking += 1;
        world.prepared += 1;
        yield;
      }
    },
    take() {
      taking += world.toTake;
      return Buffer.from(`${world.state}\n`);
    },
    async write(bytes, kept) {
      world.begun += 1;
      await settle();
      if (world.isFull) throw new Error('no space');
      world.kept.push(Number(bytes));
      kept();
      await settle();
      world.written.push(Number(bytes));
    },
    logError: (text) => world.reported.push(text),
  });
  const change = () => {
    world.state += 1;
    writer.changed();
  };
  const writing = async () => {
    while (world.begun === 0) await Promise.resolve();
  };
  return { clock, world, writer, change, writing };
}

describe('the state', () => {
  it('is written a quarter of a second after the first of many changes, once', async () => {
    const { clock, world, change } = stage();
    for (let changes = 0; changes < 300; changes += 1) change();
    await clock.passes(249);
    expect(world.written).toEqual([]);
    await clock.passes(2);
    await settle();
    expect(world.written).toEqual([300]);
    expect(clock.pending).toBe(0);
  });

  it('is written at once for a command that waits for it', async () => {
    const { world, writer, change } = stage();
    change();
    await writer.settled();
    expect(world.written).toEqual([1]);
  });

  it('is waited for until the next daemon would find it, or until it is on the disk', async () => {
    const { world, writer, change } = stage();
    change();
    await writer.kept();
    expect([world.kept, world.written]).toEqual([[1], []]);
    await writer.settled();
    expect([world.kept, world.written]).toEqual([[1], [1]]);
    await writer.kept();
    world.isFull = true;
    change();
    await writer.kept();
    expect(writer.problem).toBeDefined();
  });

  it('is written again when it changes while it is written', async () => {
    const { world, writer, change, writing } = stage();
    change();
    const first = writer.settled();
    await writing();
    change();
    await Promise.all([first, writer.settled()]);
    expect(world.written).toEqual([1, 2]);
  });

  it('is written once for all who begin to wait while it is written, whatever changes then', async () => {
    const { world, writer, change, writing } = stage();
    change();
    const first = writer.settled();
    await writing();
    const others = Array.from({ length: 50 }, () => {
      change();
      return writer.settled().then(change);
    });
    await Promise.all([first, ...others]);
    expect(world.written).toEqual([1, 51]);
  });

  it('is not written again before ten times as long as it took to take', async () => {
    const { clock, world, writer, change } = stage();
    world.toTake = 6;
    change();
    await writer.settled();
    change();
    const second = writer.settled();
    await clock.passes(59);
    expect(world.written).toEqual([1]);
    await clock.passes(1);
    await second;
    expect(world.written).toEqual([1, 2]);
  });

  it('is prepared in slices, between which others go on, and is written with what changes meanwhile', async () => {
    const { clock, world, writer, change } = stage();
    world.parts = 100;
    change();
    const written = writer.settled();
    const slices: number[] = [];
    for (let before = 0; world.prepared < 100; before = world.prepared) {
      await settle();
      slices.push(world.prepared - before);
      change();
    }
    await Promise.all([written, writer.settled()]);
    expect(slices).toEqual(Array.from({ length: 10 }, () => 10));
    expect(world.written).toEqual([11]);
    world.parts = 0;
    change();
    const second = writer.settled();
    await clock.passes(999);
    await settle(5);
    expect(world.written).toEqual([11]);
    await clock.passes(1);
    await second;
  });

  it('is not written when nothing is different', async () => {
    const { world, writer, change } = stage();
    change();
    await writer.settled();
    writer.changed();
    await writer.settled();
    expect(world.written).toEqual([1]);
  });

  it('is retried while the disk is full, which is reported once, as is its end', async () => {
    const { clock, world, writer, change } = stage();
    world.isFull = true;
    change();
    await writer.settled();
    expect(writer.problem).toEqual(new Error('no space'));
    await clock.passes(20_000);
    expect(world.reported).toEqual([expect.stringContaining('no space')]);
    world.isFull = false;
    await clock.passes(5_001);
    await settle();
    expect(world.written).toEqual([1]);
    expect(world.reported).toHaveLength(2);
    expect(writer.problem).toBeUndefined();
    await clock.passes(20_000);
    expect(clock.pending).toBe(0);
  });
});
