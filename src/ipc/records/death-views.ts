// Records of deaths, as clients see them, and as the daemon keeps them.
import type { Exit } from '../views.ts';
import type { DeathCause, DeathFrame } from './deaths.ts';

/** What became of the slot. `replaced`: another process had it already. */
export type DeathSequel = 'restarted' | 'replaced' | 'gave up' | 'stopped';

/** What a list says about the last death of a slot. */
export interface DeathSummary {
  cause: DeathCause;
  /** The headline of its error, or else the evidence or the exit. */
  about: string;
  /** How often it has died of that in a row. */
  times: number;
  /** The first and the last time, in milliseconds since 1970. */
  at: number;
  lastAt: number;
}

/** The record of a death, or of several in a row that had the same cause. */
export interface DeathView {
  /** Counts up within an app: `nsv deaths web 3`. */
  number: number;
  app: string;
  id: number;
  slot: number;
  pid: number;
  /** Milliseconds since 1970. */
  at: number;
  /**
   * How often it has happened in a row, and the slots in which it has: `lastAt` and `next` are of the last time, the other
   * fields of the first.
   */
  times: number;
  slots: number[];
  /** Milliseconds since 1970. */
  lastAt: number;
  /** Milliseconds. */
  uptime: number;
  cause: DeathCause;
  /** False if the cause is only probable: another process may have been meant. */
  certain: boolean;
  /** Who asked for it: a command such as `stop`, or `watch`, `cron`, `the app`; null if the cause says it all. */
  by: string | null;
  /** The evidence in one line: what was measured, and the limit. */
  detail: string | null;
  exit: Exit;
  /** Whether it was killed because it had not exited in time, whatever the cause. */
  overdue: boolean;
  /** The error that it has printed, with its stack: positions in the files that run, innermost call first. */
  error: { headline: string; frames: DeathFrame[] } | null;
  /** Where it was, if its event loop was blocked. */
  stack: DeathFrame[] | null;
  /** The last lines of its error log or, if it has printed no errors, of its output. */
  output: string[];
  /** The last measurement, if there was any: `at` in milliseconds since 1970, `memory` in bytes, `cpu` in percent. */
  usage: { at: number; memory: number; cpu: number } | null;
  /** Requests that were in flight when it was killed. */
  cutShort: number;
  next: DeathSequel;
}
