// Decides from the memory that a process has used over time whether it leaks. Pure.
import { leakWindows } from '../../config/options/limit-fields.ts';

/** The least memory that the process used in a window of time. */
export interface Level {
  at: number;
  bytes: number;
}

/** Of all pairs of levels, the share in which the later one must be higher. Chance gives half. */
const leastAgreement = 0.85;
/** Each half must grow at this share of the speed of the other one: what warms up, or fills a cache, slows down. */
const leastSteadiness = 0.6;
/** Share of the growth by which the levels may differ from a straight line, on average: steps do by more. */
const mostDeviation = 0.08;
/** What grows less over all windows is noise: bytes, and share of the lowest level. */
const leastBytes = 1024 * 1024;
const leastShare = 0.02;

const hour = 3_600_000;

/** Bytes per hour if the last windows show a leak; undefined if they do not. */
export function leakIn(levels: readonly Level[]): number | undefined {
  const last = levels.slice(-leakWindows);
  if (last.length < leakWindows) return undefined;
  const pairs = pairsOf(last);
  const agreement = pairs.filter(([before, after]) => after.bytes > before.bytes).length / pairs.length;
  if (agreement < leastAgreement) return undefined;
  const speed = speedOf(last);
  const grown = speed * (last.at(-1)!.at - last[0]!.at);
  const lowest = Math.min(...last.map(({ bytes }) => bytes));
  if (grown < Math.max(leastBytes, lowest * leastShare)) return undefined;
  return isSteady(last) && deviationOf(last, speed) <= grown * mostDeviation ? speed * hour : undefined;
}

function isSteady(levels: readonly Level[]): boolean {
  const half = levels.length / 2;
  const speeds = [speedOf(levels.slice(0, half)), speedOf(levels.slice(half))];
  return Math.min(...speeds) >= Math.max(...speeds) * leastSteadiness;
}

/** The mean distance in bytes from the line that runs through the middle of the levels at this speed. */
function deviationOf(levels: readonly Level[], speed: number): number {
  const heights = levels.map(({ at, bytes }) => bytes - speed * at);
  const middle = medianOf(heights);
  return heights.reduce((sum, height) => sum + Math.abs(height - middle), 0) / heights.length;
}

/** Bytes per millisecond: the median of the speeds between all pairs, which outliers do not move (Theil and Sen). */
function speedOf(levels: readonly Level[]): number {
  return medianOf(pairsOf(levels).map(([before, after]) => (after.bytes - before.bytes) / (after.at - before.at)));
}

function medianOf(numbers: number[]): number {
  const sorted = numbers.sort((a, b) => a - b);
  const middle = (sorted.length - 1) / 2;
  return (sorted[Math.floor(middle)]! + sorted[Math.ceil(middle)]!) / 2;
}

function pairsOf(levels: readonly Level[]): [before: Level, after: Level][] {
  return levels.flatMap((before, index) => levels.slice(index + 1).map((after): [Level, Level] => [before, after]));
}
