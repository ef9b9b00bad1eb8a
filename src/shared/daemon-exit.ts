// Exit codes of the daemon, by which whoever looks after it decides: bin/guard.sh, and what `nsv startup` writes.

/** EX_SOFTWARE of sysexits.h: a mistake. From 64 on the daemon is started again. */
export const crashCode = 70;
/** EX_TEMPFAIL: nothing is wrong, but another daemon is to go on with the apps: a newer one. */
export const successionCode = 75;
