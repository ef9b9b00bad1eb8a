// The cells of the table: what each event does to a process. Pure.
import { describeReason, type EndReason, isPlanned } from '../../../ipc/records/deaths.ts';
import type { Exit } from '../../../ipc/views.ts';
import { type Death, describeExit, judgeEnd, type Verdict } from './restart-policy.ts';
import { restart, startFresh } from './starts.ts';
import type { TransitionContext as Context, Effect, EventOf, In, Sequel, State, Transition } from './state.ts';
import { ignore, to } from './transition.ts';

/** Milliseconds after which an event loop that has not taken a message counts as blocked. */
const answerWithin = 1_000;
/** Milliseconds between two checks for remaining descendants during a stop. */
const lookEvery = 20;
/** Milliseconds until SIGKILL is sent again: a process in uninterruptible sleep survives it for a while. */
const killAgainAfter = 1_000;

/** Milliseconds between a failed replacement and the next attempt; doubled after each failure. */
const shortestPause = 5_000;
const longestPause = 300_000;

/** What counts as the exit of a process of which something else says that its work is not done. */
const failed: Exit = { code: 1, signal: null };

type Serving = In<'starting' | 'online'>;

export function adopted(_state: State, context: Context, { state }: EventOf<'adopt'>): Transition {
  if (state.kind === 'online') return to(overdue(state, context), { do: 'tellOnline', pid: state.pid });
  if (state.kind === 'starting' && state.late) return to(overdue(state, context), { do: 'tellLate', pid: state.pid });
  return to(state);
}

/** No attempt to replace it is under way any more. */
function overdue<S extends Serving>(state: S, { now }: Context): S {
  return state.excess ? { ...state, excess: { ...state.excess, next: state.excess.next ?? now } } : state;
}

export function started(
  { failures }: In<'spawning'>,
  { now, readiness, patience, listenTimeout, tellsLoaded }: Context,
  { pid }: EventOf<'spawned'>,
): Transition {
  const loadedAt = tellsLoaded ? null : now;
  const deadline = now + (readiness === 'any' && !tellsLoaded ? patience : listenTimeout);
  return to(
    { kind: 'starting', failures, pid, since: now, loadedAt, deadline, late: false },
    { do: 'tellStarted', pid },
  );
}

/** What says nothing more is taken for ready when it has stayed up for a while since then. */
export function onLoaded(state: In<'starting'>, { now, readiness, patience }: Context): Transition {
  if (state.loadedAt !== null) return ignore(state);
  const deadline = readiness === 'any' ? now + patience : state.deadline;
  return to({ ...state, loadedAt: now, deadline });
}

export function unspawnable({ failures }: In<'spawning'>, context: Context, event: EventOf<'failed'>): Transition {
  const cause = event.detail;
  const { verdict, counted } = judge({ exit: null, cause, uptime: 0, failures }, context);
  const before: Effect[] = [{ do: 'tellUnspawnable', detail: cause }, ...counted];
  if (verdict.kind === 'rest') return to({ kind: 'stopped' }, ...before);
  if (verdict.kind === 'again')
    return restart(verdict, context, [...before, { do: 'countRestart', delay: verdict.delay }]);
  const { reason } = verdict;
  return giveUp(reason, context, [...before, { do: 'tellGiveup', reason, cause, isInLog: false }]);
}

function up(state: In<'starting'>, { now }: Context, ...before: Effect[]): Transition {
  const { deadline: _deadline, late: _late, loadedAt, ...running } = state;
  const online: In<'online'> = { ...running, kind: 'online', loadedAt: loadedAt ?? now };
  return to(online, ...before, { do: 'tellOnline', pid: state.pid });
}

/** With a ready probe, it decides: an app that reports itself too early is not sent any clients. */
export function onReady(state: In<'starting'>, context: Context, { probed }: EventOf<'ready'>): Transition {
  return context.readiness === 'probe' && !probed ? ignore(state) : up(state, context);
}

export function onListening(state: In<'starting'>, context: Context): Transition {
  const { readiness } = context;
  return readiness === 'message' || readiness === 'probe' ? ignore(state) : up(state, context);
}

/** From now on it has as long as an app with `wait_ready`. */
export function untilReady(state: In<'starting'>, { listenTimeout }: Context): Transition {
  return state.late ? ignore(state) : to({ ...state, deadline: state.since + listenTimeout });
}

export function readinessOverdue(state: In<'starting'>, context: Context): Transition {
  if (state.late) return replaceAgain(state);
  if (context.readiness === 'any') return up(state, context, { do: 'noteSilence' });
  return to({ ...state, deadline: null, late: true }, { do: 'tellLate', pid: state.pid });
}

/**
 * The process ended by itself. Its descendants must not hold the port or the lock that its successor needs, so they are
 * stopped first, like those of a process that was asked. Usually there are none, and `treeGone` follows at once.
 * `why`: a watchdog timer of the app has fired before. Then no exit code says that its work is done.
 */
export function exited(ended: Serving, context: Context, event: EventOf<'exited'>): Transition {
  const { pid, since, failures } = ended;
  const { exit, why = null, account } = event;
  const { now, killTimeout } = context;
  const uptime = steadyFor(ended, now);
  const cause = why ? describeReason(why) : (account?.about ?? describeExit(exit));
  const end = { exit: why || account?.isFailure ? failed : exit, cause };
  const { verdict, counted } = judge({ ...end, uptime, failures }, context);
  const effects: Effect[] = [{ do: 'tellExited', exit, asked: false, why }, ...counted];
  if (verdict.kind === 'again') effects.push({ do: 'countRestart', delay: verdict.delay });
  if (verdict.kind === 'giveup')
    effects.push({ do: 'tellGiveup', reason: verdict.reason, cause: end.cause, isInLog: true });
  const [deadline, killAt] = [now + lookEvery, now + killTimeout];
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
  const { verdict, counted } = judge({ exit: failed, cause, uptime, failures }, context);
  const killAt = context.now + context.killTimeout;
  const after: Sequel = verdict.kind === 'giveup' ? verdict : { kind: 'rest' };
  const effects = [...counted];
  if (verdict.kind === 'again') effects.push({ do: 'succeed', delay: verdict.delay, failures: verdict.failures });
  if (verdict.kind === 'giveup') effects.push({ do: 'tellGiveup', reason: verdict.reason, cause, isInLog: false });
  const [gone, overdue] = [false, false];
  return to(
    { kind: 'stopping', pid, since, deadline: killAt, answerBy: null, killAt, gone, overdue, why, after },
    ...effects,
  );
}

/**
 * The process serves until another one has taken its place, and the first reason wins. Counts as a restart unless it was to be
 * expected: a fast leak is a fault, for which nsv may give up.
 */
export function aboveLimit(state: Serving, context: Context, { reason }: EventOf<'exceeded'>): Transition {
  if (state.excess) return ignore(state);
  const effects: Effect[] = [];
  if (!isPlanned(reason)) {
    const cause = describeReason(reason);
    const { verdict, counted } = judge({ exit: null, cause, uptime: 0, failures: 0 }, context);
    effects.push(...counted);
    if (verdict.kind === 'giveup') {
      const giveup: Effect = { do: 'tellGiveup', reason: verdict.reason, cause, isInLog: false };
      return askToStop(state, context, { why: reason, after: verdict }, [...effects, giveup]);
    }
    effects.push({ do: 'countRestart', delay: null });
  }
  const next: Serving = { ...state, excess: { reason, failed: 0, next: null } };
  return to(next, ...effects, { do: 'tellReplacing', reason }, { do: 'replace', reason });
}

/** One that cannot be replaced keeps serving. */
export function replaceLater(state: Serving, { now }: Context, { detail }: EventOf<'kept'>): Transition {
  const { excess } = state;
  if (excess?.next !== null) return ignore(state);
  const delay = Math.min(shortestPause * 2 ** excess.failed, longestPause);
  const next: Serving = { ...state, excess: { ...excess, failed: excess.failed + 1, next: now + delay } };
  return to(next, { do: 'tellKept', detail, delay });
}

export function replaceAgain(state: Serving): Transition {
  if (!state.excess) return ignore(state);
  const { reason } = state.excess;
  return to({ ...state, excess: { ...state.excess, next: null } }, { do: 'replace', reason });
}

export function ask(state: Serving, context: Context, { reason, othersServe = false }: EventOf<'stop'>): Transition {
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
  return othersServe ? to(next) : to(next, { do: 'hurry' });
}

/**
 * The process itself is gone. Its descendants are asked only now, so that a parent can stop its own workers first. Its
 * end was told before if another daemon saw it and died while descendants were left.
 */
export function exitedAsAsked(state: In<'stopping'>, { now }: Context, { exit }: EventOf<'exited'>): Transition {
  const told: Effect[] = state.gone ? [] : [{ do: 'tellExited', exit, asked: true, why: state.why }];
  const next: State = { ...state, gone: true, answerBy: null, deadline: now + lookEvery };
  return to(next, ...told, { do: 'signal' }, { do: 'look' });
}

/** A timer may fire a fraction of a millisecond early; then nothing is due yet. */
export function escalate(state: In<'stopping'>, { now }: Context): Transition {
  const isKillDue = now >= state.killAt;
  const isAnswerDue = !isKillDue && state.answerBy !== null && now >= state.answerBy;
  const answerBy = isAnswerDue ? null : state.answerBy;
  const killAt = isKillDue ? now + killAgainAfter : state.killAt;
  const effects: Effect[] = [];
  const isOverdue = isKillDue && !state.gone;
  if (isOverdue && !state.overdue) effects.push({ do: 'tellOverdue', pid: state.pid });
  if (isKillDue) effects.push({ do: 'kill' });
  if (isAnswerDue) effects.push({ do: 'signal' });
  if (state.gone) effects.push({ do: 'look' });
  const deadline = state.gone ? now + lookEvery : Math.min(answerBy ?? killAt, killAt);
  return to({ ...state, answerBy, killAt, deadline, overdue: state.overdue || isOverdue }, ...effects);
}

export function stopped({ after }: In<'stopping'>, context: Context): Transition {
  if (after.kind === 'start') return startFresh();
  if (after.kind === 'again') return restart(after, context, []);
  return after.kind === 'giveup' ? giveUp(after.reason, context, []) : rest();
}

export function rest(): Transition {
  return to({ kind: 'stopped' });
}

function giveUp(reason: string, { now, retryAfter }: Context, before: Effect[]): Transition {
  return to({ kind: 'errored', reason, deadline: retryAfter > 0 ? now + retryAfter : null }, ...before);
}

function askToStop(
  { pid, since }: Serving,
  context: Context,
  { why, after }: { why: EndReason; after: Sequel },
  before: Effect[],
  othersServe = false,
): Transition {
  const killAt = context.now + context.killTimeout;
  const answerBy = Math.min(context.now + answerWithin, killAt);
  const [gone, overdue] = [false, false];
  return to(
    { kind: 'stopping', pid, since, deadline: answerBy, answerBy, killAt, gone, overdue, why, after },
    ...before,
    { do: 'ask', othersServe },
  );
}

interface Judged {
  verdict: Verdict;
  /** The effects of the verdict on the app's restart limit. */
  counted: Effect[];
}

function judge(end: Omit<Death, 'now' | 'isUntried'>, context: Context): Judged {
  const { rules, recent, holdsSlot, isUntried, now } = context;
  if (!holdsSlot) return { verdict: { kind: 'rest' }, counted: [] };
  const { verdict, recent: counting } = judgeEnd(rules, recent, { ...end, now, isUntried });
  return { verdict, counted: [{ do: 'countAgainstLimit', recent: counting }] };
}
