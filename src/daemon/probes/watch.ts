// Repeats one probe of one process, one at a time, until it is closed.
import type { Clock } from '../../shared/clock.ts';
import { detailOf } from '../../shared/errors.ts';
import { throwUncaught } from '../../shared/throw-uncaught.ts';
import { renderDuration } from '../../shared/units.ts';
import type { ProbeAnswer } from './standing.ts';

export interface ProbeWatch {
  clock: Clock;
  /** Milliseconds within which a probe must be answered. */
  timeout: number;
  /** Milliseconds until the first one. */
  first: number;
  /** Milliseconds from the beginning of the last one to that of the next. */
  interval(): number;
  /** Waits until the probe may be made. Default: at once. */
  inTurn?: <T>(run: () => Promise<T>) => Promise<T>;
  /** Undefined if the process cannot be asked just now. Is to settle soon after `abort`: until it has, nothing else is asked. */
  ask(abort: AbortSignal): Promise<ProbeAnswer | undefined>;
  onAnswer(answer: ProbeAnswer): void;
}

/** Milliseconds for what was withdrawn to end. A command in a file system that hangs, or of another user, may never do. */
const extraTime = 1_000;
/** Milliseconds by which a timer is late if the daemon was held up, and for what it has to read then. */
const heldUp = 50;

/** Returns the function that ends it, and what is under way. */
export function watchProbe(watch: ProbeWatch): () => void {
  const { clock, timeout, first, interval, inTurn = (run) => run(), ask, onAnswer } = watch;
  const late: ProbeAnswer = { ok: false, why: `no answer within ${renderDuration(timeout)}` };
  let isOver = false;
  let isPending = false;
  let underWay: AbortController | undefined;
  let cancel = clock.after(first, begin);

  function begin(): void {
    once().catch(throwUncaught);
  }

  async function once(): Promise<void> {
    const began = clock.now();
    const answer = await inTurn(answered);
    if (isOver) return;
    if (answer) onAnswer(answer);
    // What was heard may have ended it.
    if (!isOver) cancel = clock.after(Math.max(0, began + interval() - clock.now()), begin);
  }

  async function answered(): Promise<ProbeAnswer | undefined> {
    if (isOver) return undefined;
    if (isPending) return late;
    const abort = new AbortController();
    underWay = abort;
    isPending = true;
    const asked = ask(abort.signal).finally(() => {
      isPending = false;
    });
    const limit = createLimit(abort);
    try {
      return await Promise.race([asked, limit.passed]);
    } catch (error) {
      return abort.signal.aborted ? late : { ok: false, why: detailOf(error) };
    } finally {
      limit.cancel();
      underWay = undefined;
    }
  }

  /** `passed` resolves when what was withdrawn does not end. */
  function createLimit(abort: AbortController): { passed: Promise<ProbeAnswer>; cancel(): void } {
    const due = clock.now() + timeout;
    let cancelTimer = () => {};
    const passed = new Promise<ProbeAnswer>((resolve) => {
      const withdraw = () => {
        abort.abort();
        cancelTimer = clock.after(extraTime, () => resolve(late));
      };
      cancelTimer = clock.after(timeout, () => {
        if (clock.now() - due < heldUp) withdraw();
        else cancelTimer = clock.after(heldUp, withdraw);
      });
    });
    return { passed, cancel: () => cancelTimer() };
  }

  return () => {
    isOver = true;
    cancel();
    underWay?.abort();
  };
}
