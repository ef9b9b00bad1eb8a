// Why processes end, and what is remembered of each death: the words, and the way by which a reason reaches the record.
//
// Whoever has a process end or replaced says why, as an `EndReason`:
//
//   process.stop({ cause: 'probe', detail: 'http://:3000/health answered 500, 3 times' });
//   process.exceed({ cause: 'memory limit', detail: 'memory 512M above limit 300M' });         // replaced while it serves
//   { cause: 'blocked loop', detail: 'event loop blocked for 12 s', stack }              // with what is known by then
//   asked('reload')                                                                      // a command
//
// A reason goes along with the event that makes the process `stopping` (`stop`, `leaving`, or a limit that ends in a
// giveup), and that state keeps it until the process is gone, also for the next daemon. The first one wins: a reason for a
// process that is stopping already changes nothing. Only if there is none is the cause read from the exit.

/** What ended a process, and what the word means. */
export const deathCauses = {
  exit: 'the program exited by itself',
  'uncaught error': 'an error that nothing in the program has caught',
  'listen failed': 'it could not listen: the address is in use, or the system has refused it',
  signal: 'a signal that nsv has not sent',
  'kill timeout': 'it was asked to stop, and killed because it had not exited in time',
  'V8 out of memory': "its heap had reached V8's limit",
  'kernel OOM kill': 'the kernel killed it, because its cgroup or the machine was out of memory',
  'blocked loop': 'its event loop was blocked for too long',
  'watchdog timer': 'a watchdog timer of nsv/app was not reset in time',
  probe: 'its probe had failed',
  'memory limit': 'it used more memory than its limit',
  age: 'it had reached its maximum age',
  requests: 'it had answered its maximum number of requests',
  asked: 'a command, a schedule or a change of a file',
  unknown: 'it ended while no daemon was there to see it',
} as const;

export type DeathCause = keyof typeof deathCauses;

/** A call of a stack. */
export interface DeathFrame {
  /** Empty for an anonymous function. */
  function: string;
  /** A path, a URL, or a name such as `node:net`. */
  file: string;
  /** From 1 on; null if unknown. */
  line: number | null;
  column: number | null;
}

/** Why a process is to end. */
export interface EndReason {
  cause: DeathCause;
  /** Who asked for it: a command such as `stop`, or `watch`, `cron`, `the app`. Absent if the cause says it all. */
  by?: string;
  /** The evidence in one line for people, with numbers: what was measured, and which limit it has exceeded. */
  detail?: string;
  /** Where the process was, innermost call first, as V8 gives it: positions in the files that run. */
  stack?: DeathFrame[];
}

/** Causes that the error, the exit or the evidence says already. */
const plain: readonly DeathCause[] = ['exit', 'uncaught error', 'listen failed', 'signal'];

/** A death in one line, which begins with its cause: `Error: no database here`, `V8 out of memory: FATAL ERROR: ...`. */
export function describeCause({ cause, about }: { cause: DeathCause; about: string }): string {
  return plain.includes(cause) ? about : `${cause}: ${about}`;
}

/** Somebody asked for the end: a command, or a trigger that has nothing against the process. */
export function asked(by: string, detail?: string): EndReason {
  return { cause: 'asked', by, ...(detail !== undefined && { detail }) };
}

/** Whether a process ends although nothing is wrong with it. */
export function isPlanned({ cause }: Pick<EndReason, 'cause'>): boolean {
  return cause === 'asked' || cause === 'age' || cause === 'requests';
}

/** The reason in one line, as logs and messages have it. */
export function describeReason({ cause, detail, by }: EndReason): string {
  return detail ?? (by === undefined ? cause : `${cause} by ${by}`);
}
