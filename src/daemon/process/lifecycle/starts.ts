// The cells of the table that start a process, at once or as soon as everything that it needs is there. Pure.
import type { Restart } from './restart-policy.ts';
import type { TransitionContext as Context, Due, Effect, EventOf, In, State, Transition } from './state.ts';
import { ignore, to } from './transition.ts';

/** Milliseconds between two attempts to bind the sockets of an app. */
const bindAgainAfter = 250;
/** The same to start a process for which nsv itself lacks something. */
const startAgainAfter = 1_000;

export function startFresh(): Transition {
  return spawn(0);
}

export function startAsSuccessor(_state: State, context: Context, event: EventOf<'succeed'>): Transition {
  return restartAfter(event, context, [countRestart(event)]);
}

export function restartDue({ failures }: In<'backoff'>, context: Context): Transition {
  return begin({ failures, reason: null }, context);
}

/** The giveup may have closed the sockets of the app. */
export function retryDue({ reason }: In<'errored'>, context: Context): Transition {
  return begin({ failures: 0, reason }, context);
}

/** A restart stays due until it can happen: if the daemon dies meanwhile, the next one starts the process. */
function begin(due: Due, context: Context, before: Effect[] = []): Transition {
  const { state, effects } = whenNothingIsMissing(
    { kind: 'waiting', ...due, isReported: false, isBinding: false, deadline: null },
    context,
  );
  return to(state, ...before, ...effects);
}

/** It would most likely fail without the apps that it depends on. A failed attempt to bind its sockets is repeated at the deadline. */
export function whenNothingIsMissing(state: In<'waiting'>, context: Context): Transition {
  const { missingApps, sockets, now } = context;
  if (state.isBinding || (state.deadline !== null && now < state.deadline) || !missingApps) return to(state);
  if (missingApps.length > 0 && state.isReported) return to(state);
  if (missingApps.length > 0) return to({ ...state, isReported: true }, { do: 'emitHeld', waitsFor: missingApps });
  if (sockets === 'inUse') return to(state);
  if (sockets === 'lost' || state.reason !== null)
    return to({ ...state, isBinding: true, deadline: null }, { do: 'bind' });
  return startDue(state);
}

/** If its sockets cannot be bound, a retry starts without them and fails, which counts as usual. A restart waits for them. */
export function whenBound(state: In<'waiting'>, context: Context, { aborted }: EventOf<'bound'>): Transition {
  if (!state.isBinding) return ignore(state);
  const { sockets, now } = context;
  const next = { ...state, isBinding: false };
  if (!aborted && (state.reason !== null || sockets === 'held')) return startDue(next);
  return to({ ...next, deadline: sockets === 'inUse' ? null : now + bindAgainAfter });
}

function startDue({ failures, reason }: Due): Transition {
  return reason === null ? spawn(failures) : spawn(0, { do: 'countRestart', delay: 0 });
}

/** Until nsv has what it lacks. */
export function startLater(failures: number, { now }: Context): Transition {
  const deadline = now + startAgainAfter;
  return to({ kind: 'waiting', failures, reason: null, isReported: false, isBinding: false, deadline });
}

export function spawn(failures: number, ...before: Effect[]): Transition {
  return to({ kind: 'spawning', failures }, ...before, { do: 'spawn' });
}

export function countRestart({ delay, reason }: Restart): Effect {
  return { do: 'countRestart', delay, ...(reason && { reason }) };
}

export function restartAfter({ delay, failures }: Restart, context: Context, before: Effect[]): Transition {
  if (delay === 0) return begin({ failures, reason: null }, context, before);
  return to({ kind: 'backoff', failures, deadline: context.now + delay }, ...before);
}
