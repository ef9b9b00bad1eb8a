// What the cells of the table are made of. Pure.
import { failure } from '../../../shared/errors.ts';
import type { TransitionContext as Context, Effect, LifecycleEvent, State, Transition } from './state.ts';

export function to(state: State, ...effects: Effect[]): Transition {
  return { state, effects };
}

/** The event means nothing in this state. */
export function ignore(state: State): Transition {
  return to(state);
}

/** A bug of nsv, not a mistake of the user. The error names the cell, so the log says which row to look at. */
export function impossible(state: State, { name }: Context, event: LifecycleEvent): never {
  throw failure('INTERNAL', { detail: `"${event.type}" reached "${name}" while ${state.kind}` });
}
