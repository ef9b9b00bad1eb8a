// Decides whether a process that ended by itself is restarted, when, and when nsv gives up.
// Pure: the group keeps the history between calls.
import type { AppSpec } from '../../../config/app-spec.ts';
import type { Exit } from '../../../ipc/views.ts';
import { renderDuration } from '../../../shared/units.ts';

export interface Restart {
  /** Milliseconds. */
  delay: number;
  /** Exits in a row within the minimum uptime, which the delay grows with. */
  failures: number;
  /** Why it is delayed, if that is not by the settings of the app. */
  reason?: string;
}

export type RestartVerdict = { kind: 'rest' } | ({ kind: 'again' } & Restart) | { kind: 'giveup'; reason: string };

export interface RunEnd {
  now: number;
  /** How it ended; null if it could not be executed. */
  exit: Exit | null;
  /** One line for people: "exit code 1", "signal SIGKILL", or why it could not be executed. */
  cause: string;
  /** How long it had run, in milliseconds. */
  uptime: number;
  /** Exits in a row before this one, each within the minimum uptime. */
  failures: number;
  /** Whether it was not ready yet, is the first since a command has started the app, and none of the slot has ever listened. */
  isFirst: boolean;
  /** Whether every attempt would end like this, until somebody changes something. */
  isLasting?: boolean | undefined;
  /** Whether processes are left that it has started. */
  hasLeft?: boolean | undefined;
  /** Milliseconds that a restart after a short run has to wait, because other programs are failing too. */
  wait: number;
}

/** The settings that decide what follows an end. */
export type Rules = Pick<
  AppSpec,
  | 'autorestart'
  | 'stopExitCodes'
  | 'maxRestarts'
  | 'restartWindow'
  | 'restartDelay'
  | 'expBackoffRestartDelay'
  | 'minUptime'
>;

/** Milliseconds after which a growing delay begins anew, without `minUptime`. */
const usualMinUptime = 1_000;
/** Milliseconds: an immediate retry would most likely fail too (a release is being swapped, memory is short). */
const unexecutableDelay = 1_000;
const longestGrownDelay = 15_000;
/** Milliseconds. A program that has run for longer does not have to wait: it may not fail again. */
const shortRun = 10_000;
const growth = 1.5;

/**
 * Judges one death. `recent`: times of the group's restarts, which the caller replaces by the returned ones. The limit
 * counts the restarts of the whole group: more than `maxRestarts` within the window is a giveup.
 */
export function judgeEnd(
  rules: Rules,
  recent: readonly number[],
  death: RunEnd,
): { verdict: RestartVerdict; recent: number[] } {
  const inWindow = recent.filter((at) => at > death.now - windowOf(rules));
  if (isFinished(rules, death.exit)) return { verdict: { kind: 'rest' }, recent: inWindow };
  if (hasEndedAtOnce(rules, death))
    return { verdict: { kind: 'giveup', reason: death.hasLeft ? wentAway : endedAtOnce }, recent: inWindow };
  if (death.isLasting && death.isFirst && isLimited(rules))
    return {
      verdict: { kind: 'giveup', reason: `${death.cause}; another attempt would end in the same way` },
      recent: inWindow,
    };
  const counts = isCounted(rules, death);
  if (counts && inWindow.length >= rules.maxRestarts)
    return { verdict: { kind: 'giveup', reason: giveupReason(rules, death) }, recent: inWindow };
  const failures = death.uptime >= (rules.minUptime ?? usualMinUptime) ? 0 : death.failures + 1;
  const counted = counts ? [...inWindow, death.now] : inWindow;
  const own = Math.max(delayOf(rules, failures), death.exit === null ? unexecutableDelay : 0);
  const delay = Math.max(own, death.uptime < shortRun ? death.wait : 0);
  return {
    verdict: { kind: 'again', failures, delay, ...(delay > own && { reason: 'too many restarts at a time' }) },
    // That it has to wait does not help a program that fails, so this time does not count.
    recent: isLimited(rules) ? counted.map((at) => at + delay - own) : [],
  };
}

/** With `minUptime`, only the ends of shorter runs count towards giving up, as in PM2. */
function isCounted({ minUptime = Number.POSITIVE_INFINITY, maxRestarts }: Rules, { uptime }: RunEnd): boolean {
  return uptime < minUptime || maxRestarts === 0;
}

/** Milliseconds: long enough for as many runs that are too short. */
function windowOf({ restartWindow, maxRestarts, minUptime = 0 }: Rules): number {
  return Math.max(restartWindow, maxRestarts * minUptime);
}

/** Why nsv gives up on a program that goes into the background, as daemons once did. What it has left there is stopped. */
export const wentAway =
  'it went into the background, where nsv cannot watch it: have it stay in the foreground (nginx -g "daemon off;", --foreground, --no-daemonize)';
/** Why nsv gives up on a job that it was to keep running. */
export const endedAtOnce = 'it ended with exit code 0; for a job that ends, use --no-autorestart';

/**
 * Whether the program looks like a job: it would do its work once more with each restart, such as send an email. Who sets a
 * delay or no limit of restarts wants that.
 */
function hasEndedAtOnce(rules: Rules, { exit, isFirst }: RunEnd): boolean {
  const isWanted = rules.restartDelay > 0 || rules.expBackoffRestartDelay > 0 || !isLimited(rules);
  return isFirst && !isWanted && exit?.code === 0;
}

function isLimited({ maxRestarts }: Rules): boolean {
  return maxRestarts < Number.MAX_SAFE_INTEGER;
}

/** Whether a process that has ended by itself in this way is not restarted. */
export function isFinished({ autorestart, stopExitCodes }: Rules, exit: Exit | null): boolean {
  return !autorestart || (exit !== null && exit.code !== null && stopExitCodes.includes(exit.code));
}

/** Whether an unrequested end completed the app's work. */
export function isCompletion({ autorestart, stopExitCodes }: Rules, exit: Exit | null): boolean {
  const code = exit?.code ?? null;
  return code !== null && (stopExitCodes.includes(code) || (!autorestart && code === 0));
}

function delayOf({ restartDelay, expBackoffRestartDelay }: Rules, failures: number): number {
  if (expBackoffRestartDelay === 0) return restartDelay;
  return Math.min(Math.round(expBackoffRestartDelay * growth ** Math.max(failures - 1, 0)), longestGrownDelay);
}

function giveupReason(rules: Rules, { cause }: RunEnd): string {
  const { maxRestarts } = rules;
  if (maxRestarts === 0) return `${cause}, and restarts are disabled`;
  const restarts = maxRestarts === 1 ? 'restart' : 'restarts';
  return `${cause}; gave up after ${maxRestarts} ${restarts} within ${renderDuration(windowOf(rules))}`;
}

/** "exit code 1" or "signal SIGKILL", never both. */
export function describeExit({ code, signal }: Exit): string {
  if (code === null && signal === null) return 'unknown exit of an adopted process';
  return signal === null ? `exit code ${code}` : `signal ${signal}`;
}
