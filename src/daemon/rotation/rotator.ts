// The daemon's side of the rotator: runs it while there are jobs, and resumes processes that it leaves paused.
import type { Rotated, RotationJob, RotationProblem, RotationReport } from '../../ipc/rotator-messages.ts';
import type { Clock } from '../../shared/clock.ts';
import { detailOf } from '../../shared/errors.ts';
import { throwUncaught } from '../../shared/throw-uncaught.ts';
import type { RotatorEvents, RotatorProcess } from '../launch/rotator.ts';

/** Milliseconds that programs may be paused. Longer means that the disk hangs, so they could not write anyway. */
const longestStop = 5_000;
/** How often a rotator may die of the same job. */
const mostTries = 2;
/** Milliseconds between two looks at a rotator that another user may stop (SIGSTOP, a debugger) or take over. */
const betweenLooks = 1_000;
/** Such a rotator is killed if it was stopped at so many looks, or has reported nothing at so many. */
const mostStopped = 2;
const mostSilent = 300;

// biome-ignore lint/suspicious/noExplicitAny: Omit over each member of the union.
type Task = RotationJob extends infer J ? (J extends any ? Omit<J, 'id'> : never) : never;

export interface RotatorDeps {
  clock: Clock;
  launch(events: RotatorEvents): RotatorProcess;
  /** Resumes processes that a dead rotator has paused. Nothing is rotated before a promise resolves. */
  recover(): void | Promise<void>;
  /** Why a rotator cannot do its job. Default: it crashed. */
  fault?: string;
  deleted(files: string[]): void;
  trouble(detail: string): void;
}

export class RotationFailure extends Error {
  /** There is no error, but the rotation should be tried again. */
  readonly later: boolean;

  constructor({ detail, later }: RotationProblem) {
    super(detail);
    this.later = later;
  }
}

interface Pending {
  job: RotationJob;
  tries: number;
  resolve(result: Rotated): void;
  reject(failure: RotationFailure): void;
}

/** Rejects with a RotationFailure. */
export type RunJob = (task: Task) => Promise<Rotated>;

export function createRotator({
  clock,
  launch,
  recover,
  deleted,
  trouble,
  fault = 'the rotator crashed',
}: RotatorDeps): RunJob {
  const pending = new Map<number, Pending>();
  let rotator: RotatorProcess | undefined;
  let cancelKill = () => {};
  let lastId = 0;
  let isRecovering = false;
  let looks = { stopped: 0, silent: 0 };
  let cancelLook: (() => void) | undefined;

  function onReport(report: RotationReport): void {
    looks.silent = 0;
    if (report.type === 'stopping') cancelKill = clock.after(longestStop, () => rotator?.kill());
    else if (report.type === 'continued') cancelKill();
    else if (report.type === 'done') take(report.id)?.resolve(report.result);
    else if (report.type === 'failed') take(report.id)?.reject(new RotationFailure(report.problem));
    else if (report.type === 'deleted') deleted(report.files);
    else trouble(report.detail);
  }

  function take(id: number): Pending | undefined {
    const found = pending.get(id);
    pending.delete(id);
    return found;
  }

  function lookLater(): void {
    if (rotator?.isStopped) cancelLook ??= clock.after(betweenLooks, look);
  }

  function look(): void {
    cancelLook = undefined;
    if (pending.size === 0) return;
    looks = { stopped: rotator?.isStopped?.() ? looks.stopped + 1 : 0, silent: looks.silent + 1 };
    if (looks.stopped >= mostStopped || looks.silent >= mostSilent) rotator?.kill();
    else lookLater();
  }

  function ended(): void {
    cancelKill();
    cancelLook?.();
    cancelLook = undefined;
    rotator = undefined;
    const recovered = recover();
    if (!recovered) resume();
    else {
      isRecovering = true;
      recovered.finally(() => (isRecovering = false)).then(resume, throwUncaught);
    }
  }

  function resume(): void {
    for (const { job, tries } of pending.values()) {
      if (tries >= mostTries) take(job.id)?.reject(new RotationFailure({ detail: fault, later: false }));
    }
    for (const each of pending.values()) give(each);
  }

  function give(each: Pending): void {
    if (isRecovering) return;
    looks = { stopped: 0, silent: 0 };
    try {
      rotator ??= launch({ report: onReport, ended });
    } catch (error) {
      take(each.job.id)?.reject(new RotationFailure({ detail: detailOf(error), later: false }));
      return;
    }
    each.tries += 1;
    rotator.send(each.job);
    lookLater();
  }

  return (task) =>
    new Promise((resolve, reject) => {
      lastId += 1;
      const each: Pending = { job: { id: lastId, ...task }, tries: 0, resolve, reject };
      pending.set(lastId, each);
      give(each);
    });
}
