// The life of a process as one total table: what each event does in each state.
// Pure: no clock, no timers, no child process. process.ts performs the effects.
import {
  beginLeaving,
  escalate,
  exited,
  exitedAsAsked,
  killNow,
  rest,
  restAfterwards,
  startAfterwards,
  stopAcknowledged,
  stopped,
  stopServing,
  unspawnable,
} from './ends.ts';
import {
  aboveLimit,
  adopted,
  awaitExit,
  onListening,
  onLoaded,
  onReady,
  replaceLater,
  servingDue,
  started,
  untilReady,
} from './serving.ts';
import { restartDue, retryDue, startAsSuccessor, startFresh, whenBound, whenNothingIsMissing } from './starts.ts';
import type { EventOf, EventType, In, Kind, LifecycleEvent, State, Transition, TransitionContext } from './state.ts';
import { ignore, impossible } from './transition.ts';

/** One row per state, one column per event. */
type Table = { [K in Kind]: Row<In<K>> };
type Row<S extends State> = {
  [T in EventType]: (state: S, context: TransitionContext, event: EventOf<T>) => Transition;
};

/** What an event does in a state whose row does not name it. A missing event does not compile. */
const usual: Row<State> = {
  start: ignore,
  stop: ignore,
  kill: killNow,
  adopt: impossible,
  succeed: impossible,
  changed: ignore,
  bound: ignore,
  leaving: ignore,
  exceeded: ignore,
  errorHandled: ignore,
  kept: ignore,
  answered: ignore,
  spawned: impossible,
  failed: impossible,
  loaded: ignore,
  ready: ignore,
  notReady: ignore,
  listening: ignore,
  exited: ignore,
  treeGone: ignore,
  deadline: impossible,
};

/** All events and, below, all states: for the diagram and the test of the table. */
export const eventTypes = Object.keys(usual) as EventType[];

const allImpossible = Object.fromEntries(eventTypes.map((type) => [type, impossible])) as {
  [T in EventType]: typeof impossible;
};

const serving: Row<In<'starting' | 'online'>> = {
  ...usual,
  stop: stopServing,
  leaving: beginLeaving,
  exceeded: aboveLimit,
  errorHandled: awaitExit,
  kept: replaceLater,
  exited,
  deadline: servingDue,
};

const table: Table = {
  stopped: { ...usual, start: startFresh, adopt: adopted, succeed: startAsSuccessor },
  // Lasts only as long as the call of the launcher, in which nothing else can happen.
  spawning: { ...allImpossible, spawned: started, failed: unspawnable },
  starting: { ...serving, loaded: onLoaded, ready: onReady, notReady: untilReady, listening: onListening },
  online: serving,
  stopping: {
    ...usual,
    start: startAfterwards,
    stop: restAfterwards,
    answered: stopAcknowledged,
    exited: exitedAsAsked,
    treeGone: stopped,
    deadline: escalate,
  },
  backoff: { ...usual, start: startFresh, stop: rest, deadline: restartDue },
  waiting: {
    ...usual,
    start: startFresh,
    stop: rest,
    changed: whenNothingIsMissing,
    bound: whenBound,
    deadline: whenNothingIsMissing,
  },
  errored: { ...usual, start: startFresh, stop: rest, deadline: retryDue },
};

export const kinds = Object.keys(table) as Kind[];

export function next(state: State, event: LifecycleEvent, context: TransitionContext): Transition {
  const cell = table[state.kind][event.type] as (
    state: State,
    context: TransitionContext,
    event: LifecycleEvent,
  ) => Transition;
  return cell(state, context, event);
}
