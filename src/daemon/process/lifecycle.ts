// What a managed process is, and what may happen to it next.
// Pure: no clock, no timers, no child process. process.ts performs the effects.
import { failure } from '../../shared/errors.ts';
import type { Verdict } from './restart-policy.ts';

export type State =
  /** Nothing runs, and nothing is to run. */
  | { kind: 'stopped' }
  /** The launcher is at work; it answers `spawned` or `failed` before anything else can happen. */
  | { kind: 'spawning'; failures: number }
  /** Runs, not ready yet. `late` once it had all the time it was given; from then on nothing but the app ends the wait. */
  | { kind: 'starting'; failures: number; pid: number; since: number; deadline: number | null; late: boolean }
  | { kind: 'online'; failures: number; pid: number; since: number }
  /**
   * Asked to stop. `answerBy`: when a request that was sent as a message must have been answered, else the signal follows.
   * `gone` once the process itself ended and only descendants are left.
   */
  | {
      kind: 'stopping';
      pid: number;
      since: number;
      deadline: number;
      answerBy: number | null;
      killAt: number;
      gone: boolean;
      after: Sequel;
    }
  /** Waits for its restart. */
  | { kind: 'backoff'; failures: number; deadline: number }
  /** nsv has given up, for good or until the deadline. */
  | { kind: 'errored'; reason: string; deadline: number | null };

/** What becomes of a process once it and all its descendants are gone. */
export type Sequel = { kind: 'rest' } | { kind: 'start' } | Extract<Verdict, { kind: 'giveup' }>;

export type LifecycleEvent =
  | { type: 'start' }
  | { type: 'stop' }
  /** It was in this state when the daemon before this one died. */
  | { type: 'adopt'; state: State }
  /** Takes the place of one that leaves, which counts as a restart. */
  | { type: 'succeed'; delay: number; failures: number }
  /** It has met its end by itself and finishes what it has begun. By the verdict `again` its successor runs elsewhere. */
  | { type: 'leave'; verdict: Verdict }
  /** nsv gives up on it while it serves. */
  | { type: 'condemn'; reason: string }
  /** The request to stop has reached it. */
  | { type: 'answered' }
  | { type: 'spawned'; pid: number }
  /** The launcher could not start it; counted like an exit. */
  | { type: 'failed'; verdict: Verdict }
  /** The app said that it can serve. */
  | { type: 'ready' }
  /** The app began to listen. */
  | { type: 'listening' }
  | { type: 'exited'; verdict: Verdict }
  /** No descendant is left either. */
  | { type: 'cleared' }
  | { type: 'deadline' };

export type Effect =
  | { do: 'spawn' }
  /** The request to stop: a message where the process can take one, else as `signal`. */
  | { do: 'ask' }
  /** The stop signal, to the process, or once it is gone to what it left. */
  | { do: 'signal' }
  /** SIGKILL to the process and all its descendants. */
  | { do: 'kill' }
  /** SIGKILL to what a process that ended by itself left behind. */
  | { do: 'clean' }
  /** Look whether any descendant is left; answers with `cleared` or with nothing. */
  | { do: 'look' };

/** What makes a process ready: its word, its listening, or whichever comes first of listening, word and time. */
export type Readiness = 'message' | 'listening' | 'any';

/** Durations in milliseconds. */
export interface TransitionContext {
  name: string;
  now: number;
  killTimeout: number;
  minUptime: number;
  listenTimeout: number;
  /** After which an errored process is tried again; 0 for never. */
  retryAfter: number;
  readiness: Readiness;
}

export interface Transition {
  state: State;
  effects: Effect[];
}

export type Kind = State['kind'];
export type In<K extends Kind> = Extract<State, { kind: K }>;
export type EventType = LifecycleEvent['type'];
type Got<T extends EventType> = Extract<LifecycleEvent, { type: T }>;

/** A loop that has not taken a message after this long is blocked. */
const answerWithin = 1_000;
/** How often a stop looks for descendants that are still there. */
const lookEvery = 20;
/** A process in uninterruptible sleep survives SIGKILL for a while: it is sent again. */
const killAgainAfter = 1_000;

/** One row per state, one column per event. A missing cell does not compile. */
type Table = {
  [K in Kind]: { [T in EventType]: (state: In<K>, context: TransitionContext, event: Got<T>) => Transition };
};

// biome-ignore format: a table
const table: Table = {
  stopped:  { start: fresh, succeed: follow, stop: stay,    adopt: take, leave: stay, condemn: stay,      answered: stay, spawned: bug,  failed: bug,   ready: stay, listening: stay,  exited: bug,   cleared: stay,    deadline: bug     },
  spawning: { start: bug,   succeed: bug,    stop: bug,     adopt: bug,  leave: bug,  condemn: bug,       answered: bug,  spawned: rise, failed: ended, ready: bug,  listening: bug,   exited: bug,   cleared: bug,     deadline: bug     },
  starting: { start: stay,  succeed: bug,    stop: ask,     adopt: bug,  leave: part, condemn: condemned, answered: stay, spawned: bug,  failed: bug,   ready: up,   listening: heard, exited: ended, cleared: stay,    deadline: overdue },
  online:   { start: stay,  succeed: bug,    stop: ask,     adopt: bug,  leave: part, condemn: condemned, answered: stay, spawned: bug,  failed: bug,   ready: stay, listening: stay,  exited: ended, cleared: stay,    deadline: bug     },
  stopping: { start: queue, succeed: bug,    stop: unqueue, adopt: bug,  leave: stay, condemn: stay,      answered: calm, spawned: bug,  failed: bug,   ready: stay, listening: stay,  exited: left,  cleared: settled, deadline: insist  },
  backoff:  { start: fresh, succeed: bug,    stop: rest,    adopt: bug,  leave: stay, condemn: stay,      answered: stay, spawned: bug,  failed: bug,   ready: stay, listening: stay,  exited: bug,   cleared: stay,    deadline: again   },
  errored:  { start: fresh, succeed: bug,    stop: rest,    adopt: bug,  leave: stay, condemn: stay,      answered: stay, spawned: bug,  failed: bug,   ready: stay, listening: stay,  exited: bug,   cleared: stay,    deadline: fresh   },
};

export function next(state: State, event: LifecycleEvent, context: TransitionContext): Transition {
  const cell = table[state.kind][event.type] as (
    state: State,
    context: TransitionContext,
    event: LifecycleEvent,
  ) => Transition;
  return cell(state, context, event);
}

/** When the process wants to be woken with a `deadline` event; null when it does not. */
export function deadlineOf(state: State): number | null {
  return 'deadline' in state ? state.deadline : null;
}

export function hasProcess(state: State): state is In<'starting' | 'online' | 'stopping'> {
  return state.kind === 'starting' || state.kind === 'online' || state.kind === 'stopping';
}

/** Why nsv has given up on it, while it may still finish what it has begun; null when nsv has not. */
export function giveupReasonOf(state: State): string | null {
  if (state.kind === 'errored') return state.reason;
  return state.kind === 'stopping' && state.after.kind === 'giveup' ? state.after.reason : null;
}

/** Every state and event, to probe the table with: for its diagram and its test. */
export const kinds = Object.keys(table) as Kind[];
export const eventTypes = Object.keys(table.stopped) as EventType[];

function to(state: State, ...effects: Effect[]): Transition {
  return { state, effects };
}

function stay(state: State): Transition {
  return to(state);
}

function take(_state: State, _context: TransitionContext, { state }: Got<'adopt'>): Transition {
  return to(state);
}

function rest(): Transition {
  return to({ kind: 'stopped' });
}

function giveUp(reason: string, { now, retryAfter }: TransitionContext): Transition {
  return to({ kind: 'errored', reason, deadline: retryAfter > 0 ? now + retryAfter : null });
}

function spawn(failures: number): Transition {
  return to({ kind: 'spawning', failures }, { do: 'spawn' });
}

function fresh(): Transition {
  return spawn(0);
}

function again(state: In<'backoff'>): Transition {
  return spawn(state.failures);
}

function rise({ failures }: In<'spawning'>, context: TransitionContext, { pid }: Got<'spawned'>): Transition {
  const { now, readiness, minUptime, listenTimeout } = context;
  const deadline = now + (readiness === 'any' ? minUptime : listenTimeout);
  return to({ kind: 'starting', failures, pid, since: now, deadline, late: false });
}

function up({ failures, pid, since }: In<'starting'>): Transition {
  return to({ kind: 'online', failures, pid, since });
}

function heard(state: In<'starting'>, context: TransitionContext): Transition {
  return context.readiness === 'message' ? stay(state) : up(state);
}

function overdue(state: In<'starting'>, context: TransitionContext): Transition {
  return context.readiness === 'any' ? up(state) : to({ ...state, deadline: null, late: true });
}

/** Ended by itself: what it left behind must not hold the port or the lock that its successor needs. */
function ended(_state: State, context: TransitionContext, { verdict }: Got<'exited' | 'failed'>): Transition {
  const { state, effects } = sentence(verdict, context);
  return to(state, { do: 'clean' }, ...effects);
}

function sentence(verdict: Verdict, context: TransitionContext): Transition {
  if (verdict.kind === 'rest') return rest();
  return verdict.kind === 'giveup' ? giveUp(verdict.reason, context) : retry(verdict, context.now);
}

function follow(_state: State, { now }: TransitionContext, succession: Got<'succeed'>): Transition {
  return retry(succession, now);
}

function retry({ failures, delay }: { failures: number; delay: number }, now: number): Transition {
  return delay === 0 ? spawn(failures) : to({ kind: 'backoff', failures, deadline: now + delay });
}

function ask(state: In<'starting' | 'online'>, context: TransitionContext): Transition {
  return askThen({ kind: 'rest' }, state, context);
}

function askThen(
  after: Sequel,
  { pid, since }: In<'starting' | 'online'>,
  { now, killTimeout }: TransitionContext,
): Transition {
  const killAt = now + killTimeout;
  const answerBy = Math.min(now + answerWithin, killAt);
  return to({ kind: 'stopping', pid, since, deadline: answerBy, answerBy, killAt, gone: false, after }, { do: 'ask' });
}

function condemned(
  state: In<'starting' | 'online'>,
  context: TransitionContext,
  { reason }: Got<'condemn'>,
): Transition {
  return askThen({ kind: 'giveup', reason }, state, context);
}

function part(
  { pid, since }: In<'starting' | 'online'>,
  context: TransitionContext,
  { verdict }: Got<'leave'>,
): Transition {
  const killAt = context.now + context.killTimeout;
  const after: Sequel = verdict.kind === 'giveup' ? verdict : { kind: 'rest' };
  return to({ kind: 'stopping', pid, since, deadline: killAt, answerBy: null, killAt, gone: false, after });
}

function calm(state: In<'stopping'>): Transition {
  return state.gone ? stay(state) : to({ ...state, answerBy: null, deadline: state.killAt });
}

function queue(state: In<'stopping'>): Transition {
  return to({ ...state, after: { kind: 'start' } });
}

function unqueue(state: In<'stopping'>): Transition {
  return to({ ...state, after: { kind: 'rest' } });
}

/** The process itself is gone; its descendants are asked now, so that a parent can first stop its own workers. */
function left(state: In<'stopping'>, { now }: TransitionContext): Transition {
  return to({ ...state, gone: true, answerBy: null, deadline: now + lookEvery }, { do: 'signal' }, { do: 'look' });
}

/** A timer may come a fraction of a millisecond early: then nothing is due yet. */
function insist(state: In<'stopping'>, { now }: TransitionContext): Transition {
  const isKillDue = now >= state.killAt;
  const isAnswerDue = !isKillDue && state.answerBy !== null && now >= state.answerBy;
  const answerBy = isAnswerDue ? null : state.answerBy;
  const killAt = isKillDue ? now + killAgainAfter : state.killAt;
  const effects: Effect[] = [];
  if (isKillDue) effects.push({ do: 'kill' });
  if (isAnswerDue) effects.push({ do: 'signal' });
  if (state.gone) effects.push({ do: 'look' });
  const deadline = state.gone ? now + lookEvery : Math.min(answerBy ?? killAt, killAt);
  return to({ ...state, answerBy, killAt, deadline }, ...effects);
}

function settled({ after }: In<'stopping'>, context: TransitionContext): Transition {
  if (after.kind === 'start') return fresh();
  return after.kind === 'giveup' ? giveUp(after.reason, context) : rest();
}

/** Not a user's mistake but ours: it names the cell, so the log says which row to look at. */
function bug(state: State, { name }: TransitionContext, event: LifecycleEvent): never {
  throw failure('INTERNAL', { detail: `"${event.type}" reached "${name}" while ${state.kind}` });
}
