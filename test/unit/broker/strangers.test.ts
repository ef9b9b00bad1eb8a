import { beforeEach, describe, expect, it } from 'vitest';
import { limitStrangers } from '../../../src/broker/strangers.ts';
import { FakeClock } from '../../helpers/fake-clock.ts';

let clock: FakeClock;
let addStranger: ReturnType<typeof limitStrangers>;
let closed: number[];
beforeEach(() => {
  clock = new FakeClock();
  addStranger = limitStrangers(clock);
  closed = [];
});
const add = (number: number) => addStranger(() => closed.push(number));

describe('a connection', () => {
  it('is closed if it does not identify itself in time', async () => {
    add(1);
    add(2)();
    await clock.passes(4_999);
    expect(closed).toEqual([]);
    await clock.passes(1);
    expect(closed).toEqual([1]);
  });

  it('is closed at once if it is the oldest of more than 1,000 unidentified ones', async () => {
    const known = add(0);
    for (let number = 1; number <= 1_000; number += 1) {
      if (number === 500) known();
      add(number);
    }
    expect(closed).toEqual([]);
    add(1_001);
    add(1_002);
    expect(closed).toEqual([1, 2]);
    await clock.passes(5_000);
    expect(closed).toHaveLength(1_002);
  });
});
