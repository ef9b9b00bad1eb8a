// Exit codes of the daemon. Its supervisor decides by them: bin/guard.sh, or the service that `nsv startup` creates.

/** EX_SOFTWARE of sysexits.h: a bug. The daemon is restarted on any code from 64 up. */
export const crashCode = 70;
/** EX_TEMPFAIL: no error, but a newer daemon is to take over the apps. */
export const successionCode = 75;
