// Messages of daemon.log by which `nsv doctor` knows what has happened. The guard (bin/guard.sh) writes the last two.

/** A line of daemon.log with this field is a warning. Lines of events do not have it. */
export const warningKey = 'warning';

export const logMessages = {
  ready: 'daemon ready',
  homeGone:
    'the home was removed or replaced: the apps keep running, but no command reaches this daemon, and it saves nothing; stop it with kill',
  rebooted: 'the system was rebooted: no app is running any more',
  died: 'the daemon died',
  gaveUp: 'the guard gave up',
} as const;
