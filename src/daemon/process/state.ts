// What a managed process may be, what may happen to it, and what is to be done then. The table is in lifecycle.ts.
import type { Exit } from '../../ipc/views.ts';
import type { Rules, Verdict } from './restart-policy.ts';

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

export type Kind = State['kind'];
export type In<K extends Kind> = Extract<State, { kind: K }>;

/** What becomes of a process once it and all its descendants are gone. */
export type Sequel = { kind: 'rest' } | { kind: 'start' } | Extract<Verdict, { kind: 'giveup' }>;

export type LifecycleEvent =
  | { type: 'start' }
  | { type: 'stop' }
  /** At once, without a word to it. */
  | { type: 'kill' }
  /** It was in this state when the daemon before this one died. */
  | { type: 'adopt'; state: Exclude<State, In<'spawning'>> }
  /** Takes the place of one that leaves, which counts as a restart. */
  | { type: 'succeed'; delay: number; failures: number }
  /** There is all that a restart which is due needs. */
  | { type: 'resume' }
  /** Another try after nsv has given up. */
  | { type: 'retry' }
  /** It will end by itself: it finishes what it has begun, and wants a successor now. */
  | { type: 'leaving'; cause: string }
  /** It is above a limit of its app, and is to be replaced while it serves. */
  | { type: 'exceeded'; cause: string }
  /** The request to stop has reached it. */
  | { type: 'answered' }
  | { type: 'spawned'; pid: number }
  /** The launcher could not start it; counted like an exit. */
  | { type: 'failed'; detail: string }
  /** The app said that it can serve. */
  | { type: 'ready' }
  /** The app began to listen. */
  | { type: 'listening' }
  | { type: 'exited'; exit: Exit }
  /** No descendant is left either. */
  | { type: 'treeGone' }
  | { type: 'deadline' };

export type EventType = LifecycleEvent['type'];
export type EventOf<T extends EventType> = Extract<LifecycleEvent, { type: T }>;

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
  /** Look whether any descendant is left; answers with `treeGone` or with nothing. */
  | { do: 'look' }
  /** Start a successor in the slot, which counts as a restart of this process. */
  | { do: 'succeed'; delay: number; failures: number }
  /** See to what the restart needs, then answer with `resume`. */
  | { do: 'prepareRestart' }
  /** See to what another try needs, then answer with `retry`. */
  | { do: 'prepareRetry' }
  /** These are now the times of the restarts that count against the limit of the app. */
  | { do: 'countAgainstLimit'; recent: readonly number[] }
  /** One more restart that nobody asked for; told with its delay, but for that of a process that still serves (null). */
  | { do: 'countRestart'; delay: number | null }
  | { do: 'tellStarted'; pid: number }
  | { do: 'tellOnline'; pid: number }
  | { do: 'tellLate'; pid: number }
  | { do: 'tellUnspawnable'; detail: string }
  /** Keep how it ended, and tell it. `asked`: somebody asked for its end. */
  | { do: 'tellExited'; exit: Exit; asked: boolean }
  /** `lastError`: what it died of, where its error log does not have that. */
  | { do: 'tellGiveup'; reason: string; cause: string; isInLog: boolean };

/** What makes a process ready: its word, its listening, or whichever comes first of listening, word and time. */
export type Readiness = 'message' | 'listening' | 'any';

/** All that a decision depends on beside the state and the event. Durations in milliseconds. */
export interface TransitionContext {
  name: string;
  now: number;
  killTimeout: number;
  listenTimeout: number;
  /** After which an errored process is tried again; 0 for never. */
  retryAfter: number;
  readiness: Readiness;
  /** By which an end is judged, `minUptime` among them. */
  rules: Rules;
  /** Times of the restarts that count against the limit of the app. */
  recent: readonly number[];
  /** What holds no slot (a trial, or what has left its slot) is not restarted. */
  holdsSlot: boolean;
  /** For which a restart has to wait at least. */
  leastDelay: number;
}

export interface Transition {
  state: State;
  effects: Effect[];
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
