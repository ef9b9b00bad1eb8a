// What the answers to a probe mean for a process, and when it is asked next.
// Pure: watch.ts asks, probing.ts acts.
import type { ProbeRules } from '../../config/options/probe.ts';

/** `why`: what was wrong, in one line. */
export type ProbeAnswer = { ok: true } | { ok: false; why: string };

export interface ProbeStanding {
  /** Whether the process counts as good. */
  good: boolean;
  /** Answers in a row that say the opposite. */
  against: number;
}

export function heed(
  { good, against }: ProbeStanding,
  { ok }: ProbeAnswer,
  rules: Pick<ProbeRules, 'failures' | 'successes'>,
): ProbeStanding {
  if (ok === good) return { good, against: 0 };
  const enough = good ? rules.failures : rules.successes;
  return against + 1 >= enough ? { good: ok, against: 0 } : { good, against: against + 1 };
}

/** Milliseconds. While a process starts, somebody waits for it: it is asked more often, unless that costs a process each time. */
const startInterval = 250;
const startIntervalOfCommands = 1_000;

/** Milliseconds from the beginning of one probe to that of the next. */
export function intervalOf(
  { interval }: Pick<ProbeRules, 'interval'>,
  isStarting: boolean,
  isCommand: boolean,
): number {
  if (!isStarting) return interval;
  return Math.min(interval, isCommand ? startIntervalOfCommands : startInterval);
}

/** Spreads consecutive numbers evenly, however many there are. */
const goldenRatio = 0.618_034;

/**
 * Milliseconds until the first probe of a process that serves already. Processes that became ready together, or were found
 * together by a new daemon, are not asked together.
 */
export function firstPause({ interval }: Pick<ProbeRules, 'interval'>, id: number): number {
  return Math.round(interval * ((id * goldenRatio) % 1));
}
