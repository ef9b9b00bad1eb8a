// Classes of states, for all who ask what a process is about to do. Each has its name here, and nobody else compares kinds of states
// but the tables, and views that show them.
import type { In, State } from './state.ts';

interface InState {
  readonly state: State;
}

export function hasProcess<S extends State>(state: S): state is S & In<'starting' | 'online' | 'stopping'> {
  return state.kind === 'starting' || state.kind === 'online' || state.kind === 'stopping';
}

/** Whether the process runs and is not stopping. */
export function isServing({ state }: InState): boolean {
  return state.kind === 'starting' || state.kind === 'online';
}

export function isStarting({ state }: InState): boolean {
  return state.kind === 'starting';
}

/** Whether it has become ready. */
export function isOnline<P extends InState>(process: P): process is P & { readonly state: In<'online'> } {
  return process.state.kind === 'online';
}

/** Whether it is ready, or has had all the time that it may take. */
export function isUp({ state }: InState): boolean {
  return state.kind === 'online' || (state.kind === 'starting' && state.late);
}

export function isStopping({ state }: InState): boolean {
  return state.kind === 'stopping';
}

/** Whether nothing runs, and nobody wants it to: it was stopped, or its work is done. */
export function isStopped({ state }: InState): boolean {
  return state.kind === 'stopped';
}

/** Whether it is stopping, and nothing is to run afterwards. */
export function isToRest({ state }: InState): boolean {
  return state.kind === 'stopping' && state.after.kind === 'rest';
}

/** Whether its start waits for something that it needs. */
export function isWaiting({ state }: InState): boolean {
  return state.kind === 'waiting';
}

/** Whether the process is stopped or given up on: nothing runs, and no restart is due. */
export function isAtRest({ state }: InState): boolean {
  return state.kind === 'stopped' || isGivenUp({ state });
}

/** Whether nsv has given up on it, for good or until a retry. */
export function isGivenUp({ state }: InState): boolean {
  return state.kind === 'errored' || isRetryDue(state);
}

/** Whether nsv has given up on it, and will try again. */
export function isTriedAgain({ state }: InState): boolean {
  return isRetryDue(state) || (state.kind === 'errored' && state.deadline !== null);
}

export function isRestartDue({ state }: InState): boolean {
  return state.kind === 'backoff' || (state.kind === 'waiting' && state.reason === null);
}

/** Whether the process, or the next one of its slot, has still to become ready. */
export function isToBecomeReady({ state }: InState): boolean {
  if (state.kind === 'stopping') return state.after.kind === 'start' || state.after.kind === 'again';
  return state.kind === 'spawning' || state.kind === 'starting' || isRestartDue({ state });
}

/** Why nsv gave up on the process, even while it still finishes its work; null if nsv has not given up. */
export function giveupReasonOf(state: State): string | null {
  if (state.kind === 'errored' || state.kind === 'waiting') return state.reason;
  return state.kind === 'stopping' && state.after.kind === 'giveup' ? state.after.reason : null;
}

function isRetryDue(state: State): boolean {
  return state.kind === 'waiting' && state.reason !== null;
}
