import { describe, expect, it } from 'vitest';
import { Intents } from '../../../../src/daemon/apps/intents.ts';

const intents = () => new Intents(() => {});

describe('the intent of the commands under way', () => {
  it('is null without any command', () => {
    expect(intents().sum).toBeNull();
  });

  it('is to start the slots of every part of a command until that part is done', () => {
    const all = intents();
    const whole = all.add({ kind: 'start', slots: [1, 2] });
    const part = all.add({ kind: 'start', slots: [0, 1] });
    expect(all.sum).toEqual({ kind: 'start', slots: [1, 2, 0] });
    part();
    expect(all.sum).toEqual({ kind: 'start', slots: [1, 2] });
    whole();
    expect(all.sum).toBeNull();
  });

  it('is to stop once a command stops, whatever else was starting', () => {
    const all = intents();
    all.add({ kind: 'start', slots: [0] });
    all.add({ kind: 'stop', slots: [0] });
    expect(all.sum).toEqual({ kind: 'stop', slots: [0] });
  });

  it('is to remove for good once a command removes', () => {
    const all = intents();
    all.remove();
    all.add({ kind: 'stop', slots: [0] })();
    expect(all.sum).toEqual({ kind: 'remove' });
    expect(all.isRemoval).toBe(true);
  });

  it('is inherited from the previous daemon until it is settled', () => {
    const all = intents();
    all.inherit({ kind: 'start', slots: [0] });
    expect(all.sum).toEqual({ kind: 'start', slots: [0] });
    all.settle();
    expect(all.sum).toBeNull();
  });
});
