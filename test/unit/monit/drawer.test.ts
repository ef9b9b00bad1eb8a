// What is written to the terminal, and when.
import { describe, expect, it } from 'vitest';
import { Drawer, difference } from '../../../src/monit/drawer.ts';
import { FakeClock } from '../../helpers/fake-clock.ts';
import { screenOf } from '../../helpers/screen.ts';

describe('the difference between two frames', () => {
  it('is all of the second if the first is unknown', () => {
    expect(difference(undefined, ['a', '', 'c'])).toBe('\x1b[2J\x1b[1;1H\x1b[2Ka\x1b[3;1H\x1b[2Kc');
  });

  it('is the rows that differ', () => {
    expect(difference(['a', 'b', 'c'], ['a', 'x', 'c'])).toBe('\x1b[2;1H\x1b[2Kx');
  });

  it('is empty if nothing has changed', () => {
    expect(difference(['a', 'b'], ['a', 'b'])).toBe('');
  });

  it('turns the first into the second', () => {
    const [one, other] = [
      ['a', 'bbb', '', 'd'],
      ['a', 'b', 'c', ''],
    ];
    expect(screenOf(difference(undefined, one) + difference(one, other))).toEqual(other);
  });
});

describe('the screen', () => {
  const setUp = () => {
    const clock = new FakeClock();
    const shown = { row: 'a' };
    const written: string[] = [];
    const drawer = new Drawer(
      () => [shown.row],
      (text) => void written.push(text),
      clock,
    );
    drawer.soon();
    return { clock, shown, written, drawer };
  };

  it('is drawn at once, then a tenth of a second later with the last change', async () => {
    const { clock, shown, written, drawer } = setUp();
    expect(written).toHaveLength(1);
    for (const row of ['b', 'c', 'd']) {
      shown.row = row;
      drawer.soon();
    }
    await clock.passes(99);
    expect(written).toHaveLength(1);
    await clock.passes(1);
    expect(written.slice(1)).toEqual(['\x1b[1;1H\x1b[2Kd']);
  });

  it('is not drawn if it is unchanged', async () => {
    const { clock, written, drawer } = setUp();
    drawer.soon();
    await clock.passes(1_000);
    expect(written).toHaveLength(1);
    expect(clock.pending).toBe(0);
  });

  it('is redrawn in full on request', () => {
    const { written, drawer } = setUp();
    drawer.anew();
    expect(written).toEqual([written[0], written[0]]);
  });
});
