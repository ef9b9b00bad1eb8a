// The cells of the table for a process that runs and was not asked to stop: how it becomes ready, and what may make it leave. Pure.
import { describeReason, isPlanned } from '../../../ipc/records/deaths.ts';
import { hasProcess } from './classes.ts';
import { askToStop } from './ends.ts';
import { judge } from './judge.ts';
import {
  type TransitionContext as Context,
  duesOf,
  type Effect,
  type EventOf,
  type Failing,
  type In,
  type Serving,
  type State,
  type Transition,
} from './state.ts';
import { ignore, to } from './transition.ts';

/**
 * Milliseconds after which a process that is still there after an error is taken to live on. It must be well above the timeout of
 * usual handlers: 2 s in Sentry's, and 3 s in winston's, which always takes that long if it logs to a console.
 */
const failureTimeout = 4_000;
/** Milliseconds between a failed replacement and the next attempt; doubled after each failure. */
const shortestPause = 5_000;
const longestPause = 300_000;

export function adopted(_state: State, context: Context, { left }: EventOf<'adopt'>): Transition {
  const { was, fate, isKnown } = left;
  if (fate === 'asked') return to({ kind: 'stopped' }, { do: 'noteAskedEnd' });
  if (was.kind === 'found') return to(startingSince(was, context), { do: 'find' });
  if (fate === 'rebooted' || (hasProcess(was) && !isKnown)) return to({ kind: 'stopped' });
  if (!hasProcess(was)) return to(was);
  if (was.kind === 'stopping') return to(was, { do: 'find' });
  const { pid } = was;
  const effects: Effect[] = [{ do: 'find' }];
  if (was.kind === 'online') effects.push({ do: 'emitOnline', pid });
  else if (was.late) effects.push({ do: 'emitLate', pid });
  return to(overdue(was, context), ...effects);
}

/** No attempt to replace it is under way any more. */
function overdue<S extends Serving>(state: S, { now }: Context): S {
  return state.excess ? { ...state, excess: { ...state.excess, next: state.excess.next ?? now } } : state;
}

export function started({ failures }: In<'spawning'>, context: Context, { pid }: EventOf<'spawned'>): Transition {
  return to({ ...startingSince({ pid, since: context.now }, context), failures }, { do: 'emitStarted', pid });
}

/** What says when it is loaded says so again to the next daemon. */
function startingSince({ pid, since }: { pid: number; since: number }, context: Context): In<'starting'> {
  const { readiness, readyTimeout, listenTimeout, reportsLoaded } = context;
  const loadedAt = reportsLoaded ? null : since;
  const deadline = since + (readiness === 'any' && !reportsLoaded ? readyTimeout : listenTimeout);
  return { kind: 'starting', failures: 0, pid, since, loadedAt, deadline, late: false };
}

/** What says nothing more is taken for ready when it has stayed up for a while since then. */
export function onLoaded(state: In<'starting'>, context: Context, { isIdle }: EventOf<'loaded'>): Transition {
  if (state.loadedAt !== null) return ignore(state);
  const { now, readiness, readyTimeout, idleTimeout } = context;
  const deadline = readiness === 'any' ? now + (isIdle ? idleTimeout : readyTimeout) : state.deadline;
  return to({ ...state, loadedAt: now, deadline });
}

function up(state: In<'starting'>, { now }: Context, ...before: Effect[]): Transition {
  const { deadline: _deadline, late: _late, loadedAt, ...running } = state;
  const online: In<'online'> = { ...running, kind: 'online', loadedAt: loadedAt ?? now };
  return to(online, ...before, { do: 'emitOnline', pid: state.pid });
}

/** With a ready probe, it decides: an app that reports itself too early is not sent any clients. */
export function onReady(state: In<'starting'>, context: Context, { probed }: EventOf<'ready'>): Transition {
  if (context.readiness === 'probe' && !probed) return ignore(state);
  return up(state, context, ...(context.rules.waitReady ? [{ do: 'noteReport', isMissing: false } as const] : []));
}

export function onListening(state: In<'starting'>, context: Context): Transition {
  const { readiness } = context;
  if (state.late && mayListenOnly(context)) return up(state, context, { do: 'noteReport', isMissing: true });
  return readiness === 'message' || readiness === 'probe' ? ignore(state) : up(state, context);
}

function mayListenOnly({ readiness, rules }: Context): boolean {
  return readiness === 'message' && rules.waitReady && rules.listenSuffices;
}

/** From now on it has as long as an app with `wait_ready`. */
export function untilReady(state: In<'starting'>, { listenTimeout }: Context): Transition {
  return state.late ? ignore(state) : to({ ...state, deadline: state.since + listenTimeout });
}

export function servingDue(state: Serving, context: Context): Transition {
  const [first] = duesOf(state);
  if (first?.what === 'failing') return stillThere(state, context);
  if (first?.what === 'excess') return replaceAgain(state);
  return state.kind === 'starting' ? readinessOverdue(state, context) : ignore(state);
}

function readinessOverdue(state: In<'starting'>, context: Context): Transition {
  if (context.readiness === 'any') return up(state, context, { do: 'noteSilence' });
  if (context.listens && mayListenOnly(context)) return up(state, context, { do: 'noteReport', isMissing: true });
  return to({ ...state, deadline: null, late: true }, { do: 'emitLate', pid: state.pid });
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
      const giveup: Effect = { do: 'emitGiveup', reason: verdict.reason, cause, isInLog: false };
      return askToStop(state, context, { why: reason, after: verdict }, [...effects, giveup]);
    }
    effects.push({ do: 'countRestart', delay: null });
  }
  const next: Serving = { ...state, excess: { reason, failed: 0, next: null } };
  return to(next, ...effects, { do: 'emitReplacing', reason }, { do: 'replace', reason });
}

/** Most handlers send a report and exit. */
export function awaitExit(state: Serving, context: Context, { kind }: EventOf<'errorHandled'>): Transition {
  if (state.failing || !context.deadlyErrors.includes(kind)) return ignore(state);
  const failing: Failing = { kind, until: context.now + failureTimeout, isOver: false };
  return to({ ...state, failing }, { do: 'leaveQueue' });
}

/** If this daemon had no time until now, it hears of the exit in the turn of the loop between the two deadlines. */
function stillThere(state: Serving, { now }: Context): Transition {
  const { failing } = state;
  if (!failing) return ignore(state);
  const next: Serving = { ...state, failing: { ...failing, until: now, isOver: true } };
  if (!failing.isOver) return to(next);
  delete next.failing;
  return to(next, { do: 'livesOn', kind: failing.kind });
}

/** One that cannot be replaced keeps serving. */
export function replaceLater(state: Serving, { now }: Context, { detail }: EventOf<'kept'>): Transition {
  const { excess } = state;
  if (excess?.next !== null) return ignore(state);
  const delay = Math.min(shortestPause * 2 ** excess.failed, longestPause);
  const next: Serving = { ...state, excess: { ...excess, failed: excess.failed + 1, next: now + delay } };
  return to(next, { do: 'emitKept', detail, delay });
}

function replaceAgain(state: Serving): Transition {
  if (!state.excess) return ignore(state);
  const { reason } = state.excess;
  return to({ ...state, excess: { ...state.excess, next: null } }, { do: 'replace', reason });
}
