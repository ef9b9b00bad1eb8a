// Which slot the connections of a client go to.
import { describe, expect, it } from 'vitest';
import { slotOf } from '../../../../../src/daemon/sockets/ways/slot-of.ts';

const addresses = Array.from({ length: 4_000 }, (_, index) => `::ffff:10.0.${index >> 8}.${index & 255}`);
const slotsOf = (slots: number[]) => addresses.map((address) => slotOf(address, slots));

describe('the slot of a client', () => {
  it('depends on neither the order of the slots nor on anything else', () => {
    expect(slotsOf([3, 1, 0, 2])).toEqual(slotsOf([0, 1, 2, 3]));
  });

  it('is as often one as another', () => {
    const found = slotsOf([0, 1, 2, 3]);
    for (const slot of [0, 1, 2, 3]) {
      const count = found.filter((each) => each === slot).length;
      expect(count).toBeGreaterThan(900);
      expect(count).toBeLessThan(1_100);
    }
  });

  it('is another one for the clients of a slot that is gone, and for no others', () => {
    const before = slotsOf([0, 1, 2, 3]);
    const after = slotsOf([0, 1, 3]);
    expect(after.filter((slot, index) => slot !== before[index] && before[index] !== 2)).toEqual([]);
    expect(new Set(after.filter((_, index) => before[index] === 2))).toEqual(new Set([0, 1, 3]));
  });

  it('is the new one for some clients of each slot, and for the others as before', () => {
    const before = slotsOf([0, 1, 2]);
    const after = slotsOf([0, 1, 2, 3]);
    expect(after.filter((slot, index) => slot !== before[index] && slot !== 3)).toEqual([]);
    expect(new Set(before.filter((_, index) => after[index] === 3))).toEqual(new Set([0, 1, 2]));
  });
});
