// The rate at which programs that fail again and again are restarted, all together: a hundred of them would take all CPUs and the daemon,
// and no command would be answered. The more they are, the longer each waits. Commands do not wait, nor does what has run for a while.
import { usableCpus } from '../../os/cgroup.ts';
import type { Clock } from '../../shared/clock.ts';

/** Milliseconds of a CPU for each restart: a start of Node takes up to half of that. */
const perCpu = 100;
/** Milliseconds between two at least, however many CPUs there are: the daemon needs a few for each. */
const least = 20;
/** Restarts that do not wait, after a quiet time. */
const burst = 20;

export type RestartRate = ReturnType<typeof createRestartRate>;

export function createRestartRate(clock: Pick<Clock, 'now'>, cpus = usableCpus) {
  /** Known from the first restart on. */
  let gap = 0;
  /** When the restarts so far would be over, at this rate. */
  let taken = 0;

  return {
    /** Milliseconds that the next one has to wait. */
    wait: () => Math.max(0, Math.round(taken - burst * gap - clock.now())),
    count() {
      gap ||= Math.max(least, perCpu / cpus());
      taken = Math.max(taken, clock.now()) + gap;
    },
    /** One that was counted, and waited, will not happen. */
    giveBack() {
      taken -= gap;
    },
  };
}
