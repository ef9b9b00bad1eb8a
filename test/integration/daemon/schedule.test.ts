import { describe, expect, it } from 'vitest';
import { createSchedule } from '../../../src/daemon/triggers/schedule.ts';
import { FakeClock } from '../../helpers/fake-clock.ts';

const hour = 3_600_000;

/** A clock that begins at 22:13:20, and the times at which the schedule ran, in minutes from there. */
function scheduled(pattern: string) {
  const clock = new FakeClock();
  const runs: number[] = [];
  const schedule = createSchedule({
    pattern,
    setting: 'cronRestart',
    clock,
    run: () => runs.push(Math.round(clock.now() / 60_000)),
  });
  return { clock, runs, schedule };
}

describe('a schedule', () => {
  it('runs at each of its times', async () => {
    const { clock, runs, schedule } = scheduled('*/20 * * * *');
    expect(schedule.next()?.getTime()).toBe(clock.wall() + 400_000);
    await clock.passes(hour);
    expect(runs).toEqual([7, 27, 47]);
  });

  it('follows the wall clock when that is set', async () => {
    const { clock, runs } = scheduled('*/20 * * * *');
    const wall = clock.wall.bind(clock);
    clock.wall = () => wall() + 390_000;
    await clock.passes(60_000);
    expect(runs).toEqual([1]);
  });

  it('never runs again once it is closed', async () => {
    const { clock, runs, schedule } = scheduled('* * * * *');
    await clock.passes(100_000);
    expect(runs).toHaveLength(2);
    schedule.close();
    await clock.passes(hour);
    expect(runs).toHaveLength(2);
    expect(clock.pending).toBe(0);
  });

  it('can be closed by what it runs', async () => {
    const clock = new FakeClock();
    let runs = 0;
    const schedule = createSchedule({
      pattern: '* * * * *',
      setting: 'cronRestart',
      clock,
      run() {
        runs += 1;
        schedule.close();
      },
    });
    await clock.passes(hour);
    expect(runs).toBe(1);
  });

  it.each(['every day', '61 * * * *', '', '0 0 31 2 *', '2001-01-01T00:00:00'])('rejects pattern "%s"', (pattern) => {
    expect(() => scheduled(pattern)).toThrow(
      `--cron-restart must be a cron pattern such as "0 4 * * *", not "${pattern}"`,
    );
  });
});
