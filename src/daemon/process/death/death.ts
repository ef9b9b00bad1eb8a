// Finds out why a process has ended, and what its record says. The first cause counts: the reason for which it was asked to
// end, and only if there is none what its exit and its last words tell.
import type { DeathSummary, DeathView } from '../../../ipc/records/death-views.ts';
import type { DeathCause, DeathFrame, EndReason } from '../../../ipc/records/deaths.ts';
import type { Exit } from '../../../ipc/views.ts';
import { lastUsageOf } from '../../../os/sampler.ts';
import { isNsvCode } from '../../../shared/code/own-code.ts';
import type { Host } from '../host.ts';
import { describeExit } from '../restart-policy.ts';
import type { RunningProcess } from '../running-process.ts';
import type { In, Sequel, State } from '../state.ts';
import { plainLines } from './plain-lines.ts';
import { errorIn, heapExhaustedIn, type PrintedError } from './printed-error.ts';

/** One death. Deaths of one cause in a row share a record, which has a number and a count. */
export type Death = Omit<DeathView, 'number' | 'times' | 'slots' | 'lastAt'>;

/** What the process knows when it has ended. */
export interface End {
  exit: Exit;
  why: EndReason | null;
  /** Any process that has ended is `stopping` at first. */
  state: State;
  standing: { holdsSlot: boolean; isTrial: boolean };
}

type Machine = Pick<Host, 'clock' | 'oomKills'>;

interface Cause {
  cause: DeathCause;
  certain: boolean;
}

/** Lines of a log in which an error is looked for: V8's last words are followed by a stack of machine code. */
const searched = 200;
const shown = 15;
const mostFrames = 50;
const mostSummedFrames = 10;
const longestDetail = 1_000;

/** V8 aborts. A shell that ran the program adds 128 to the number of the signal. */
const abortCodes = [134];

export function deathOf(
  running: RunningProcess,
  { exit, why, state, standing }: End,
  { clock, oomKills }: Machine,
): Death {
  const { child, errors, output, cutShort } = running;
  const { since, overdue, after } = state as In<'stopping'>;
  const { id, slot, spec, format } = child.plan;
  const plain = (lines: string[]) => plainLines(lines, format, { app: spec.name, slot, wall: clock.wall() });
  const lines = plain(errors.lines(searched));
  const heap = heapExhaustedIn(lines);
  const error = heap === undefined ? errorIn(lines) : { headline: heap, frames: [], isFatal: true };
  const explained = () => oomKills.explain(child);
  const { cause, certain } = why ? requested(why, overdue) : causeOf(exit, { heap, error }, explained);
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
    detail: why?.detail?.slice(0, longestDetail) ?? null,
    exit,
    overdue,
    // Whoever was asked to end may have printed errors long before.
    error:
      error && isBlamed(cause)
        ? { headline: error.headline, frames: error.frames.filter(({ file }) => !isNsvCode(file)) }
        : null,
    stack: why?.stack?.slice(0, mostFrames) ?? null,
    output: lines.length > 0 ? lines.slice(-shown) : plain(output.lines()),
    usage: lastUsageOf(child) ?? null,
    cutShort,
    next: sequelOf(after, why, standing),
  };
}

/** The kill timeout is a cause of its own only if there was nothing else against the process. */
function requested({ cause }: EndReason, overdue: boolean): Cause {
  return { cause: cause === 'asked' && overdue ? 'kill timeout' : cause, certain: true };
}

/** The cause of an end that nobody has asked for. `explain` is called for a SIGKILL only. */
export function causeOf(
  { code, signal }: Exit,
  said: { heap: string | undefined; error: PrintedError | undefined },
  explain: () => 'certain' | 'probable' | undefined,
): Cause {
  const certain = true;
  const isUnknown = code === null && signal === null;
  const isAborted = signal === 'SIGABRT' || signal === 'SIGTRAP' || abortCodes.includes(code ?? 0);
  if (said.heap !== undefined && (isAborted || isUnknown)) return { cause: 'V8 out of memory', certain };
  if (signal === 'SIGKILL') {
    const kernel = explain();
    return kernel ? { cause: 'kernel OOM kill', certain: kernel === 'certain' } : { cause: 'signal', certain };
  }
  if (signal !== null) return { cause: 'signal', certain };
  if (said.error?.isFatal && code !== 0) return { cause: 'uncaught error', certain };
  return { cause: isUnknown ? 'unknown' : 'exit', certain };
}

function isBlamed(cause: DeathCause): boolean {
  return !['asked', 'age', 'requests', 'kill timeout', 'memory limit', 'probe', 'blocked loop'].includes(cause);
}

/** Commands and triggers after which the slot is filled again by the same process. */
function sequelOf(after: Sequel, why: EndReason | null, { holdsSlot, isTrial }: End['standing']): Death['next'] {
  if (after.kind === 'giveup') return 'gave up';
  if (after.kind === 'again' || after.kind === 'start') return 'restarted';
  if (isTrial) return 'stopped';
  if (!holdsSlot) return 'replaced';
  const ends = ['stop', 'scale', 'delete', 'kill', 'start', 'start --force', 'the end of nsv run'];
  return why && !ends.includes(why.by ?? '') ? 'restarted' : 'stopped';
}

type Described = Pick<Death, 'error' | 'detail' | 'exit' | 'cause'>;

/** What ended it in one line: its error, the evidence, or its exit. */
export function describeDeath({ error, detail, exit, cause }: Described): string {
  return error?.headline ?? detail ?? (cause === 'kernel OOM kill' ? 'out of memory' : describeExit(exit));
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
  /** Equal for deaths of one cause. */
  key: string;
}

/** `before`: of the death before this one in the same slot. */
export function summedUp(death: Death, before: LastDeath | null): LastDeath {
  const { cause, at, error } = death;
  const key = causeKeyOf(death);
  const isInRow = before?.key === key && at - before.lastAt <= sameRow;
  const said = { cause, about: describeDeath(death), frames: error?.frames.slice(0, mostSummedFrames) ?? [], key };
  return { ...said, times: isInRow ? before.times + 1 : 1, at: isInRow ? before.at : at, lastAt: at };
}

/** Milliseconds between two deaths of one cause that still count as a row. */
export const sameRow = 10 * 60_000;

/** Whether a process ends although nothing is wrong with it. */
export function isPlanned({ cause }: Pick<Death, 'cause'>): boolean {
  return cause === 'asked' || cause === 'age' || cause === 'requests';
}

/** Whether there is nothing wrong with the app: the end was planned, or that of a job that has done its work. */
export function isExpected({ cause, exit, next }: Pick<Death, 'cause' | 'exit' | 'next'>): boolean {
  return isPlanned({ cause }) || (cause === 'exit' && exit.code === 0 && next === 'stopped');
}
