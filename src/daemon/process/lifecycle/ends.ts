// The cells of the table that end a process, and what follows its end. Pure.
import { describeReason, type EndReason } from '../../../ipc/records/deaths.ts';
import { failedExit, judge } from './judge.ts';
import { describeExit } from './restart-policy.ts';
import { countRestart, restartAfter, startFresh, startLater } from './starts.ts';
import type { TransitionContext as Context, Effect, EventOf, In, Sequel, Serving, State, Transition } from './state.ts';
import { ignore, to } from './transition.ts';

/** Milliseconds after which an event loop that has not taken a message counts as blocked. */
const answerWithin = 1_000;
/** Milliseconds between two checks for remaining descendants during a stop. */
const lookEvery = 20;
/** Milliseconds until SIGKILL is sent again: a process in uninterruptible sleep survives it for a while. */
const killAgainAfter = 1_000;

export function unspawnable({ failures }: In<'spawning'>, context: Context, event: EventOf<'failed'>): Transition {
  const cause = event.detail;
  if (event.isOurs && context.holdsSlot) return startLater(failures, context);
  const { verdict, counted } = judge({ exit: null, cause, uptime: 0, failures }, context);
  const before: Effect[] = [{ do: 'emitUnspawnable', detail: cause }, ...counted];
  if (verdict.kind === 'rest') return to({ kind: 'stopped' }, ...before);
  if (verdict.kind === 'again') return restartAfter(verdict, context, [...before, countRestart(verdict)]);
  const { reason } = verdict;
  return giveUp(reason, context, [...before, { do: 'emitGiveup', reason, cause, isInLog: false }]);
}

/**
 * The process ended by itself. Its descendants must not hold the port or the lock that its successor needs, so they are
 * stopped first, like those of a process that was asked. Usually there are none, and `treeGone` follows at once.
 * `why`: a watchdog timer of the app has fired before. Then no exit code says that its work is done.
 */
export function exited(ended: Serving, context: Context, event: EventOf<'exited'>): Transition {
  const { pid, since, failures } = ended;
  const { exit, why = null, account } = event;
  const { now, rules } = context;
  const uptime = steadyFor(ended, now);
  const cause = why ? describeReason(why) : (account?.about ?? describeExit(exit));
  const end = {
    exit: why || account?.isFailure ? failedExit : exit,
    cause,
    isLasting: account?.isLasting,
    hasLeft: account?.hasLeft,
  };
  const { verdict, counted } = judge({ ...end, uptime, failures }, context);
  const effects: Effect[] = [{ do: 'emitExited', exit, asked: false, why }, ...counted];
  if (verdict.kind === 'again') effects.push(countRestart(verdict));
  if (verdict.kind === 'giveup')
    effects.push({ do: 'emitGiveup', reason: verdict.reason, cause: end.cause, isInLog: true });
  const [deadline, killAt] = [now + lookEvery, now + rules.killTimeout];
  const state = {
    kind: 'stopping',
    pid,
    since,
    deadline,
    answerBy: null,
    killAt,
    gone: true,
    overdue: false,
    why: null,
    after: verdict,
  } as const;
  return to(state, ...effects, { do: 'askLeftovers', age: now - since });
}

/** Milliseconds since its program was loaded. One that fails while it is being loaded fails again, however long that takes. */
function steadyFor({ loadedAt }: Serving, now: number): number {
  return loadedAt === null ? 0 : now - loadedAt;
}

/** Judges the process now, not at its exit. Its error may not be in the log yet, so a giveup reports the cause. */
export function beginLeaving(state: Serving, context: Context, { reason: why }: EventOf<'leaving'>): Transition {
  const { pid, since, failures } = state;
  const cause = describeReason(why);
  const uptime = steadyFor(state, context.now);
  const { verdict, counted } = judge({ exit: failedExit, cause, uptime, failures }, context);
  const killAt = context.now + context.rules.killTimeout;
  const after: Sequel = verdict.kind === 'giveup' ? verdict : { kind: 'rest' };
  const effects = [...counted];
  if (verdict.kind === 'again') effects.push({ ...verdict, do: 'succeed' });
  if (verdict.kind === 'giveup') effects.push({ do: 'emitGiveup', reason: verdict.reason, cause, isInLog: false });
  const [gone, overdue] = [false, false];
  return to(
    { kind: 'stopping', pid, since, deadline: killAt, answerBy: null, killAt, gone, overdue, why, after },
    ...effects,
  );
}

export function stopServing(
  state: Serving,
  context: Context,
  { reason, othersServe = false }: EventOf<'stop'>,
): Transition {
  return askToStop(state, context, { why: reason, after: { kind: 'rest' } }, [], othersServe);
}

/** Also kills the descendants of a process that has ended. */
export function killNow(state: State): Transition {
  return to(state, { do: 'kill' });
}

export function stopAcknowledged(state: In<'stopping'>): Transition {
  return state.gone ? ignore(state) : to({ ...state, answerBy: null, deadline: state.killAt });
}

export function startAfterwards(state: In<'stopping'>): Transition {
  return to({ ...state, after: { kind: 'start' } });
}

/** It may have been asked before, when other processes still served. Why it ends was said then. */
export function restAfterwards(state: In<'stopping'>, _context: Context, { othersServe }: EventOf<'stop'>): Transition {
  const next: State = { ...state, after: { kind: 'rest' } };
  return othersServe ? to(next) : to(next, { do: 'stopKeepingIdle' });
}

/**
 * The process itself is gone. Its descendants are asked only now, so that a parent can stop its own workers first. Its
 * end was told before if another daemon saw it and died while descendants were left.
 */
export function exitedAsAsked(state: In<'stopping'>, { now }: Context, { exit }: EventOf<'exited'>): Transition {
  const emitted: Effect[] = state.gone ? [] : [{ do: 'emitExited', exit, asked: true, why: state.why }];
  const next: State = { ...state, gone: true, answerBy: null, deadline: now + lookEvery };
  return to(next, ...emitted, { do: 'signal' }, { do: 'look' });
}

/** A timer may fire a fraction of a millisecond early; then nothing is due yet. */
export function escalate(state: In<'stopping'>, { now, rules }: Context): Transition {
  const isKillDue = now >= state.killAt;
  const isAnswerDue = !isKillDue && state.answerBy !== null && now >= state.answerBy;
  const answerBy = isAnswerDue ? null : state.answerBy;
  const killAt = isKillDue ? now + killAgainAfter : state.killAt;
  const effects: Effect[] = [];
  const isOverdue = isKillDue && !state.gone;
  if (isOverdue && !state.overdue) effects.push({ do: 'emitOverdue', pid: state.pid, limit: rules.killTimeout });
  if (isKillDue) effects.push({ do: 'kill' });
  if (isAnswerDue) effects.push({ do: 'signal' });
  if (state.gone) effects.push({ do: 'look' });
  const deadline = state.gone ? now + lookEvery : Math.min(answerBy ?? killAt, killAt);
  return to({ ...state, answerBy, killAt, deadline, overdue: state.overdue || isOverdue }, ...effects);
}

export function stopped({ after }: In<'stopping'>, context: Context): Transition {
  if (after.kind === 'start') return startFresh();
  if (after.kind === 'again') return restartAfter(after, context, []);
  return after.kind === 'giveup' ? giveUp(after.reason, context, []) : rest();
}

export function rest(): Transition {
  return to({ kind: 'stopped' });
}

function giveUp(reason: string, { now, retryAfter, wait }: Context, before: Effect[]): Transition {
  return to({ kind: 'errored', reason, deadline: retryAfter > 0 ? now + Math.max(retryAfter, wait) : null }, ...before);
}

export function askToStop(
  { pid, since }: Serving,
  context: Context,
  { why, after }: { why: EndReason; after: Sequel },
  before: Effect[],
  othersServe = false,
): Transition {
  const killAt = context.now + context.rules.killTimeout;
  const answerBy = Math.min(context.now + answerWithin, killAt);
  const [gone, overdue] = [false, false];
  return to(
    { kind: 'stopping', pid, since, deadline: answerBy, answerBy, killAt, gone, overdue, why, after },
    ...before,
    { do: 'ask', othersServe },
  );
}
