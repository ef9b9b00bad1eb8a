import { beforeEach, describe, expect, it } from 'vitest';
import type { Child } from '../../../../src/daemon/launch/launcher.ts';
import { Unready } from '../../../../src/daemon/process/unready.ts';

const reported: string[] = [];
let unready: Unready;

beforeEach(() => {
  reported.length = 0;
  const accepting = {
    leave: (_: unknown, cause: string) => void reported.push(`leave ${cause}`),
    join: (_: unknown, cause: string) => void reported.push(`join ${cause}`),
    holdBack: () => {},
  };
  const send = ({ on }: { on: boolean }) => reported.push(on ? 'say that it is unready' : 'say that it is ready');
  const child = { plan: { spec: { node: true } }, send } as unknown as Child;
  unready = new Unready(child, { accepting }, (reason) => reported.push(reason === null ? 'ready' : 'not ready'));
});

describe('an unready process', () => {
  it('leaves the accept queue for each cause, and joins it again when the cause is gone', () => {
    unready.set('app', 'the queue is full');
    unready.set('ready probe', 'answered 500');
    unready.set('app', null);
    unready.set('app', null);
    expect(reported.filter((line) => /^(leave|join)/.test(line))).toEqual([
      'leave app',
      'leave ready probe',
      'join app',
    ]);
  });

  it('has the reason that was given first', () => {
    expect(unready.reason).toBeNull();
    unready.set('app', 'the queue is full');
    unready.set('ready probe', 'answered 500');
    expect(unready.reason).toBe('the queue is full');
    unready.set('app', null);
    expect(unready.reason).toBe('answered 500');
  });

  it('is notified before it leaves the queue and after it rejoins, and reported once in each direction', () => {
    unready.set('app', 'the queue is full');
    unready.set('ready probe', 'answered 500');
    unready.set('app', null);
    unready.set('ready probe', null);
    expect(reported).toEqual([
      ...['say that it is unready', 'leave app', 'not ready', 'say that it is unready', 'leave ready probe'],
      ...['join app', 'join ready probe', 'say that it is ready', 'ready'],
    ]);
  });
});
