// Finds out why a process has ended, and what its record says. The first cause counts: the reason for which it was asked to
// end, and only if there is none what its exit and its last words tell.
import { type DeathCause, type DeathFrame, type EndReason, isPlanned } from '../../../ipc/records/deaths.ts';
import type { DeathSummary, DeathView, Exit } from '../../../ipc/views.ts';
import { lastUsageOf } from '../../../os/sampler.ts';
import { isNsvCode } from '../../../shared/code/own-code.ts';
import type { Child } from '../../launch/launcher.ts';
import type { Host } from '../host.ts';
import { describeExit } from '../lifecycle/restart-policy.ts';
import type { In, Sequel, State } from '../lifecycle/state.ts';
import type { EndCause, LastWords } from './ending.ts';

/** One death. Deaths of one cause in a row share a record, which has a number and a count. */
export type Death = Omit<DeathView, 'number' | 'times' | 'slots' | 'lastAt'>;

/** What the process knows when it has ended. */
export interface EndFacts {
  exit: Exit;
  why: EndReason | null;
  /** Any process that has ended is `stopping` at first. */
  state: State;
  standing: { holdsSlot: boolean; isTrial: boolean };
}

type Machine = Pick<Host, 'clock'>;

const mostFrames = 50;
const mostSummedFrames = 10;
const longestDetail = 1_000;
const longestLine = 200;
/** Of what is shown of the last output when a start has failed. */
const mostSummedLines = 8;

/** The process that has ended. */
interface Ended {
  readonly child: Child;
  readonly cutShort: number;
  readonly lastWords: LastWords;
  endingBy(exit: Exit): EndCause;
}

export function deathOf(running: Ended, { exit, why, state, standing }: EndFacts, { clock }: Machine): Death {
  const { child, cutShort } = running;
  const { since, overdue, after } = state as In<'stopping'>;
  const { id, slot, spec } = child.plan;
  const { error, output } = running.lastWords;
  const { cause, certain, detail } = why ? requested(why, overdue) : running.endingBy(exit);
  return {
    app: spec.name,
    id,
    slot,
    pid: child.pid,
    at: clock.wall(),
    uptime: Math.max(0, Math.round(clock.now() - since)),
    cause,
    certain,
    by: why?.by ?? null,
    detail: detail?.slice(0, longestDetail) ?? null,
    exit,
    overdue,
    // Whoever was asked to end may have printed errors long before.
    error:
      error && isBlamed(cause)
        ? { headline: error.headline, frames: error.frames.filter(({ file }) => !isNsvCode(file)) }
        : null,
    stack: why?.stack?.slice(0, mostFrames) ?? null,
    output,
    usage: lastUsageOf(child) ?? null,
    cutShort,
    next: sequelOf(after, why, standing),
  };
}

/** The kill timeout is a cause of its own only if there was nothing else against the process. */
function requested({ cause, detail }: EndReason, overdue: boolean): EndCause {
  return { cause: cause === 'asked' && overdue ? 'kill timeout' : cause, certain: true, detail: detail ?? null };
}

function isBlamed(cause: DeathCause): boolean {
  return !['asked', 'age', 'requests', 'kill timeout', 'memory limit', 'probe', 'blocked loop'].includes(cause);
}

/** Commands and triggers after which the slot is filled again by the same process. */
function sequelOf(after: Sequel, why: EndReason | null, { holdsSlot, isTrial }: EndFacts['standing']): Death['next'] {
  if (after.kind === 'giveup') return 'gave up';
  if (after.kind === 'again' || after.kind === 'start') return 'restarted';
  if (isTrial) return 'stopped';
  if (!holdsSlot) return 'replaced';
  const ends = ['stop', 'scale', 'delete', 'kill', 'start', 'start --force', 'the shutdown of nsv run'];
  return why && !ends.includes(why.by ?? '') ? 'restarted' : 'stopped';
}

type Described = Pick<Death, 'error' | 'detail' | 'exit' | 'cause'>;

/** What ended it in one line: its error, the evidence, or its exit and the last line that it has printed. */
export function describeDeath({ error, detail, exit, cause, output }: Described & Pick<Death, 'output'>): string {
  if (cause === 'listen failed' && detail !== null) return detail;
  const known = error?.headline ?? detail ?? (cause === 'kernel OOM kill' ? 'out of memory' : undefined);
  const line = known === undefined && exit.code !== 0 && exit.code !== null ? lastLine(output) : undefined;
  return known ?? (line === undefined ? describeExit(exit) : `${describeExit(exit)}: ${line}`);
}

/** Bun and Node end their errors with it. */
const version = /^(Bun|Node\.js) v\d/;

/** The last line that has words. */
function lastLine(output: readonly string[]): string | undefined {
  return output
    .findLast((line) => /\p{L}/u.test(line) && !version.test(line))
    ?.trim()
    .slice(0, longestLine);
}

/** Equal for deaths of one cause. Numbers in texts are left out: ports, ids and sizes differ from one time to the next. */
export function causeKeyOf({ error, detail, exit, cause, by }: Described & Pick<Death, 'by'>): string {
  const text = (error?.headline ?? detail ?? '').replace(/\d+/g, '#');
  return [cause, by, exit.code, exit.signal, text].join('\n');
}

/** What a slot remembers of its last death. */
export interface LastDeath extends DeathSummary {
  /** The calls of the error, innermost first. */
  frames: DeathFrame[];
  /** The error that it has printed. */
  headline: string | null;
  exit: Exit;
  /** What it has printed last, unless that was an error with frames. */
  output: string[];
  /** Equal for deaths of one cause. */
  key: string;
}

/** `before`: of the death before this one in the same slot. */
export function summedUp(death: Death, before: LastDeath | null): LastDeath {
  const { cause, at, error, exit } = death;
  const key = causeKeyOf(death);
  const isInRow = before?.key === key && at - before.lastAt <= sameRow;
  const output = error ? [] : death.output.slice(-mostSummedLines).map((line) => line.slice(0, longestLine));
  const frames = error?.frames.slice(0, mostSummedFrames) ?? [];
  const headline = error?.headline ?? null;
  const words = { cause, about: describeDeath(death), frames, headline, exit, output, key };
  return { ...words, times: isInRow ? before.times + 1 : 1, at: isInRow ? before.at : at, lastAt: at };
}

/** Milliseconds between two deaths of one cause that still count as a row. */
export const sameRow = 10 * 60_000;

/** Whether there is nothing wrong with the app: the end was planned, or that of a job that has done its work. */
export function isExpected({ cause, exit, next }: Pick<Death, 'cause' | 'exit' | 'next'>): boolean {
  return isPlanned({ cause }) || (cause === 'exit' && exit.code === 0 && next === 'stopped');
}
