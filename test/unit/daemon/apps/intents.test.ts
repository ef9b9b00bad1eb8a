import { describe, expect, it } from 'vitest';
import { Intents } from '../../../../src/daemon/apps/intents.ts';

const intents = () => new Intents(() => {});

describe('what commands are about to bring about', () => {
  it('is nothing as long as none is under way', () => {
    expect(intents().sum).toBeNull();
  });

  it('is to start what any part of a command is to start, until that part is done', () => {
    const all = intents();
    const whole = all.add({ kind: 'start', slots: [1, 2] });
    const part = all.add({ kind: 'start', slots: [0, 1] });
    expect(all.sum).toEqual({ kind: 'start', slots: [1, 2, 0] });
    part();
    expect(all.sum).toEqual({ kind: 'start', slots: [1, 2] });
    whole();
    expect(all.sum).toBeNull();
  });

  it('is to stop, whatever was being started', () => {
    const all = intents();
    all.add({ kind: 'start', slots: [0] });
    all.add({ kind: 'stop', slots: [0] });
    expect(all.sum).toEqual({ kind: 'stop', slots: [0] });
  });

  it('is to remove, once and for all', () => {
    const all = intents();
    all.remove();
    all.add({ kind: 'stop', slots: [0] })();
    expect(all.sum).toEqual({ kind: 'remove' });
    expect(all.isRemoval).toBe(true);
  });

  it('is what the daemon before had begun, until that is settled', () => {
    const all = intents();
    all.inherit({ kind: 'start', slots: [0] });
    expect(all.sum).toEqual({ kind: 'start', slots: [0] });
    all.settle();
    expect(all.sum).toBeNull();
  });
});
