import { describe, expect, it } from 'vitest';
import { Counts } from '../../../../src/daemon/in-app/in-app.ts';
import type { Child } from '../../../../src/daemon/launch/launcher.ts';
import { jobs } from '../../../helpers/jobs-metric.ts';

const child = () => ({}) as Child;

describe('the counts of processes', () => {
  it('are summed when processes end, on top of those from the previous daemon', () => {
    const counts = new Counts([jobs(10)]);
    const [one, other] = [child(), child()];
    counts.onMessage(one, JSON.stringify([jobs(1)]));
    counts.onMessage(other, JSON.stringify([jobs(2)]));
    expect(counts.past).toEqual([jobs(10)]);
    counts.gone(one);
    expect(counts.past).toEqual([jobs(11)]);
    counts.gone(one);
    counts.gone(other);
    counts.gone(child());
    expect(counts.past).toEqual([jobs(13)]);
  });

  it('come from the last message of each process, and invalid messages are ignored', () => {
    const counts = new Counts();
    for (const text of ['{"', 'null', '[1]', JSON.stringify([jobs(1)])]) counts.onMessage(child(), text);
    const talkative = child();
    for (const value of [1, 2, 3]) counts.onMessage(talkative, JSON.stringify([jobs(value)]));
    counts.gone(talkative);
    const garbage = child();
    counts.onMessage(garbage, '{"');
    counts.gone(garbage);
    expect(counts.past).toEqual([jobs(3)]);
  });
});
