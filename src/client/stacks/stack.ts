// Finds out where processes are. One whose event loop turns answers by itself. One that is blocked is asked by its inspector if that is
// safe, and the kernel is asked about it.
import type { ProcessView } from '../../ipc/views.ts';
import { standingOf, type ThreadStanding } from '../../os/blocked/standing.ts';
import { detailOf, failure, isFailure, NsvError } from '../../shared/errors.ts';
import { type Insight, type InsightAnswer, InvalidAnswer } from '../insight.ts';
import { parseProfile, parseResources } from './answers.ts';
import { stackByInspector } from './attach.ts';
import { type Call, type HottestSamples, hottestSamplesOf } from './cpu-profile.ts';
import { positionsIn } from './question.ts';
import { type Position, type SourceFrame, SourceMaps } from './source-maps.ts';
import { whyNoStack } from './why-no-stack.ts';

export interface StackView {
  id: number;
  name: string;
  slot: number;
  pid: number | null;
  /**
   * `idle` and `busy`: the event loop turns. `blocked`: it does not. `unknown`: the process cannot be inspected, and
   * `problem` says why.
   */
  state: 'idle' | 'busy' | 'blocked' | 'unknown';
  /** Percent of a tenth of a second in which JavaScript ran; null unless the event loop turns. */
  busy: number | null;
  /** What the event loop waits for: the number of resources of each type. */
  waitsFor: Record<string, number>;
  /** Innermost first. For a busy process, where it spent most of that time. */
  frames: SourceFrame[];
  /** What the kernel knows about a blocked process; null otherwise, or without /proc. */
  kernel: ThreadStanding | null;
  /** Why there is no stack. */
  problem: string | null;
}

/** Milliseconds for a process to take up the question before it counts as blocked. */
const timeout = 1_000;
/** Milliseconds more, after which it is certain: a machine with much to do is slow. */
const moreTimeout = 2_000;
/** Milliseconds that a process is watched, with a sample every millisecond; how often at most, and how many samples are enough. */
const watched = 100;
const mostWatches = 4;
const leastSamples = 30;
/** Of a whole answer, in milliseconds and in characters. A profile of the time above has some hundred thousand. */
const limits = { time: 30_000, longest: 8 * 1024 ** 2 };
/** Percent. Below it, a process is idle. */
const leastBusy = 10;

type About = Omit<StackView, 'id' | 'name' | 'slot' | 'pid'>;

const nothing: About = { state: 'unknown', busy: null, waitsFor: {}, frames: [], kernel: null, problem: null };

/** Rejects with errors of the connection. A process that cannot be inspected has the reason in `problem`. */
export async function stackOf(insight: Insight, { id, name, slot, pid }: ProcessView): Promise<StackView> {
  try {
    const first = await watch(insight, id, timeout);
    const about = first.answered ? await turning(insight, id, first) : await blocked(insight, id, first);
    return { id, name, slot, pid: first.pid, ...about };
  } catch (error) {
    if (error instanceof InvalidAnswer) return { id, name, slot, pid, ...nothing, problem: error.message };
    if (!isFailure(error, 'CANNOT_INSPECT')) throw error;
    return { id, name, slot, pid, ...nothing, problem: reasonIn(error.message, name) };
  }
}

/** The error repeats the name, which the view has already. */
function reasonIn(message: string, name: string): string {
  const beginning = failure('CANNOT_INSPECT', { name, reason: '' }).message;
  return message.startsWith(beginning) ? message.slice(beginning.length) : message;
}

function watch(insight: Insight, id: number, timeout: number): Promise<InsightAnswer> {
  return insight.ask(id, { kind: 'cpu', ms: watched, interval: 1_000 }, { timeout, ...limits });
}

async function turning(insight: Insight, id: number, first: InsightAnswer): Promise<About> {
  const hottest = await hottestIn(insight, id, first);
  const resources = await insight.ask(id, { kind: 'resources' }, { timeout, ...limits });
  const waitsFor = resources.answered ? parseResources(resources.value) : {};
  const { busy, calls } = hottest;
  if (busy < leastBusy) return { ...nothing, state: 'idle', busy, waitsFor };
  const maps = new SourceMaps();
  return { ...nothing, state: 'busy', busy, waitsFor, frames: calls.map((call) => maps.frameOf(positionOf(call))) };
}

/**
 * Watches again if the profile has few samples, as V8's sampler itself gets little time on a machine with much to do, or names no
 * function of the app: V8 misses those that it has compiled at that moment.
 */
async function hottestIn(insight: Insight, id: number, first: InsightAnswer): Promise<HottestSamples> {
  let answer = first;
  for (let count = 1; ; count += 1) {
    const profile = parseProfile(answer.value);
    const hottest = hottestSamplesOf(profile);
    const isPoor = (profile.samples ?? []).length < leastSamples || (hottest.busy >= leastBusy && !hottest.isOfApp);
    if (!isPoor || count === mostWatches) return hottest;
    const next = await watch(insight, id, timeout);
    if (!next.answered) return hottest;
    answer = next;
  }
}

/** Of the innermost call the line is known, of the others only where their function begins. */
function positionOf({ callFrame, line }: Call): Position {
  const { functionName, url, lineNumber, columnNumber } = callFrame;
  if (line === undefined || line - 1 === lineNumber)
    return { functionName, url, line: lineNumber, column: columnNumber };
  return { functionName, url, line: line - 1 };
}

/** The process may be slow, and answer by itself after all. */
async function blocked(insight: Insight, id: number, silent: InsightAnswer): Promise<About> {
  const kernel = standingOf(silent.pid);
  const later = watch(insight, id, moreTimeout);
  // Awaited below, unless the stack is there first.
  later.catch(() => {});
  const { frames = [], problem = null } = await inspected(insight, id, silent, kernel);
  if (frames.length > 0) return { ...nothing, state: 'blocked', kernel: kernel ?? null, frames };
  const answer = await later;
  if (answer.answered) return turning(insight, id, answer);
  return { ...nothing, state: 'blocked', kernel: standingOf(silent.pid) ?? null, problem };
}

interface Inspected {
  frames?: SourceFrame[];
  problem?: string;
}

async function inspected(
  insight: Insight,
  id: number,
  silent: InsightAnswer,
  kernel?: ThreadStanding,
): Promise<Inspected> {
  const problem = whyNoStack(silent, kernel);
  if (problem !== undefined) return (await stackByThread(insight, id)) ?? { problem };
  const { pid, startTime } = silent;
  // The question waits in the channel until the event loop turns, also after this program has ended.
  const detach = (from: number) => void insight.ask(id, { kind: 'detach', from }, { timeout: 0 }).catch(() => {});
  try {
    const positions = await stackByInspector({ pid, startTime: startTime ?? undefined }, detach);
    return { frames: framesOf(positions) };
  } catch (error) {
    return (await stackByThread(insight, id)) ?? { problem: detailOf(error) };
  }
}

/** Undefined if the process has no thread for that, which only a watchdog gives it, or is outside of JavaScript. */
async function stackByThread(insight: Insight, id: number): Promise<Inspected | undefined> {
  try {
    const { value } = await insight.ask(id, { kind: 'stack' }, limits);
    return { frames: framesOf(positionsIn(value)) };
  } catch (error) {
    if (error instanceof NsvError && !isFailure(error, 'CANNOT_INSPECT')) throw error;
    return undefined;
  }
}

function framesOf(positions: Position[]): SourceFrame[] {
  const maps = new SourceMaps();
  return positions.map((position) => maps.frameOf(position));
}
