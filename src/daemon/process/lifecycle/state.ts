// The states of a managed process, the events that may reach it, and the effects that follow. The table is in
// lifecycle.ts.
import type { AppSpec } from '../../../config/app-spec.ts';
import type { EndReason } from '../../../ipc/records/deaths.ts';
import type { Exit } from '../../../ipc/views.ts';
import type { HandledErrorKind } from '../../../ipc/worker-messages.ts';
import type { Restart, RestartVerdict } from './restart-policy.ts';

interface Running {
  failures: number;
  pid: number;
  since: number;
  /** Set once it exceeds a limit. */
  excess?: Excess;
  /** A handler of the app has taken an error, after which most programs exit. Set until it is known whether this one does. */
  failing?: Failing;
}

export interface Failing {
  kind: HandledErrorKind;
  until: number;
  /** The time is over, and an exit may still have to be heard of. */
  isOver: boolean;
}

/** Why a process that serves is to be replaced. */
export interface Excess {
  reason: EndReason;
  /** Attempts that have failed. */
  failed: number;
  /** When the next attempt is due; null while one is under way. */
  next: number | null;
}

export type State =
  /** Nothing runs, and nothing is to run. */
  | { kind: 'stopped' }
  /** The launcher is at work; it answers `spawned` or `failed` before anything else can happen. */
  | { kind: 'spawning'; failures: number }
  /**
   * Runs, not ready yet. `loadedAt`: when its program was loaded, or was ready already; from then on the minimum uptime counts. `late` once
   * its time to become ready is over; then only the app itself ends the wait.
   */
  | ({ kind: 'starting'; loadedAt: number | null; deadline: number | null; late: boolean } & Running)
  | ({ kind: 'online'; loadedAt: number } & Running)
  /**
   * Asked to stop. `answerBy`: when a request sent as a message must have been answered; after that, the signal is
   * sent. `gone` once the process itself has ended, asked or not, and only descendants are left. `overdue` once it was
   * killed because its time was over. `why` it is to end; null if it ended by itself, and its exit tells.
   */
  | {
      kind: 'stopping';
      pid: number;
      since: number;
      deadline: number;
      answerBy: number | null;
      killAt: number;
      gone: boolean;
      overdue: boolean;
      why: EndReason | null;
      after: Sequel;
    }
  /** Waits for its restart. */
  | { kind: 'backoff'; failures: number; deadline: number }
  /**
   * Its start is due, and something that it needs is missing: apps that it depends on, or sockets that must be bound first. `reason`:
   * why nsv had given up before; null for a restart. `isReported`: the apps that it waits for were reported. If the sockets could
   * not be bound, there is another attempt at the deadline.
   */
  | ({ kind: 'waiting'; isReported: boolean; isBinding: boolean; deadline: number | null } & Due)
  /** nsv has given up, for good or until the deadline. */
  | { kind: 'errored'; reason: string; deadline: number | null };

export type Kind = State['kind'];
export type In<K extends Kind> = Extract<State, { kind: K }>;

export type Serving = In<'starting' | 'online'>;

/** A start that nobody has asked for. */
export interface Due {
  failures: number;
  reason: string | null;
}

/** What follows once a process and all its descendants are gone. `again`: the restart of one that ended by itself. */
export type Sequel = { kind: 'start' } | RestartVerdict;

export type LifecycleEvent =
  | { type: 'start' }
  /** `othersServe`: the app has processes that clients can connect to instead, so it may take its time for them. */
  | { type: 'stop'; reason: EndReason; othersServe?: boolean }
  /** Kill it at once, without asking it to stop. */
  | { type: 'kill' }
  /** The previous daemon has left the process like this. */
  | { type: 'adopt'; left: Left }
  /** Takes the place of a process that leaves, which counts as a restart. */
  | ({ type: 'succeed' } & Restart)
  /** What a due start waits for may be there. */
  | { type: 'changed' }
  /** An attempt to bind the app's sockets is over. `aborted`: because of a command. */
  | { type: 'bound'; aborted: boolean }
  /** The process will end by itself: it finishes its work, and wants a successor now. */
  | { type: 'leaving'; reason: EndReason }
  /** The process exceeds a limit of its app, and is to be replaced while it serves. */
  | { type: 'exceeded'; reason: EndReason }
  /** A handler of the app has taken an error. */
  | { type: 'errorHandled'; kind: HandledErrorKind }
  /** The attempt to replace it has failed. */
  | { type: 'kept'; detail: string }
  /** The process has received the request to stop. */
  | { type: 'answered' }
  | { type: 'spawned'; pid: number }
  /** The launcher could not start it, which counts like an exit. `isOurs`: nsv itself lacks what it needs for that, which does not. */
  | { type: 'failed'; detail: string; isOurs?: boolean }
  /** The program has been loaded: its main module was evaluated, and nothing more is being read. `isIdle`: it waits for timers only. */
  | { type: 'loaded'; isIdle?: boolean | undefined }
  /** The app reported that it can serve, or its ready probe has succeeded. */
  | { type: 'ready'; probed?: boolean }
  /** The app reported that it cannot serve. It will report when it can. */
  | { type: 'notReady' }
  /** The app began to listen. */
  | { type: 'listening' }
  /** `why`: a watchdog timer of the app has fired before. `account`: what the process has said, and what it was refused. */
  | { type: 'exited'; exit: Exit; why?: EndReason | undefined; account?: RestartHistory | undefined }
  /** No descendant is left either. */
  | { type: 'treeGone' }
  | { type: 'deadline' };

/** A state in which one daemon may leave a process to the next: no turn of the event loop ends while one is spawned. */
export type LeftState = Exclude<State, In<'spawning'>>;

/** How a process was left by the previous daemon. */
export interface Left {
  /** As that daemon has written it down. Or the process was started in its last moments, and was found. */
  was: LeftState | { kind: 'found'; pid: number; since: number };
  /**
   * `running`: it is still there. `ended`: it is not, and its end is to be judged. `asked`: neither, and a command was about to end it.
   * `rebooted`: the machine was, since then.
   */
  fate: 'running' | 'ended' | 'asked' | 'rebooted';
  /** Whether what runs can be recognised. */
  isKnown: boolean;
}

/** Why a process has ended by itself. */
export interface RestartHistory {
  /** One line for people, which begins with the cause. */
  about: string;
  /** Whether its work is not done, whatever the exit code says. */
  isFailure: boolean;
  /** Whether every attempt would end like this, until somebody changes something. */
  isLasting: boolean;
  /** Whether processes are left that it has started, although it has ended as if all was done. */
  hasLeft: boolean;
}

export type EventType = LifecycleEvent['type'];
export type EventOf<T extends EventType> = Extract<LifecycleEvent, { type: T }>;

export type Effect =
  | { do: 'spawn' }
  /** Take over the process that the previous daemon has left, or report its exit. */
  | { do: 'find' }
  /** Note that its end was asked for. */
  | { do: 'noteAskedEnd' }
  /** Request the stop: by a message if the process can receive one, else as `signal`. */
  | { do: 'ask'; othersServe: boolean }
  /** A process that is leaving need not take its time any more: no other process serves. */
  | { do: 'stopKeepingIdle' }
  /** Send the stop signal to the process or, once it is gone, to its descendants. */
  | { do: 'signal' }
  /** Send SIGKILL to the process and all its descendants. */
  | { do: 'kill' }
  /** Ask what a process that ended by itself after `age` ms has left behind to exit; if nothing, `treeGone` follows. */
  | { do: 'askLeftovers'; age: number }
  /** Check whether any descendant is left; if none is, `treeGone` follows. */
  | { do: 'look' }
  /** Start a successor in the slot, which counts as a restart of this process. */
  | ({ do: 'succeed' } & Restart)
  /** Bind those of the app's sockets that are not held, then answer with `bound`. */
  | { do: 'bind' }
  /** Have it accept no connections for now: what it accepts until its exit would be lost. */
  | { do: 'leaveQueue' }
  /** It is still there after an error that its app has handled: it accepts again, and the app is left alone from now on. */
  | { do: 'livesOn'; kind: HandledErrorKind }
  /** Replace the process that exceeds a limit; if that fails, `kept` follows. */
  | { do: 'replace'; reason: EndReason }
  /** Set the times of the restarts that count against the limit of the app. */
  | { do: 'countAgainstLimit'; recent: readonly number[] }
  /** Count a restart that nobody asked for, and report its delay, unless that is null: the process still serves. */
  | { do: 'countRestart'; delay: number | null; reason?: string }
  | { do: 'emitStarted'; pid: number }
  | { do: 'emitOnline'; pid: number }
  /** It was taken for ready because it stays up: it neither listens nor has said anything. */
  | { do: 'noteSilence' }
  /** It has become ready with the message that was awaited, or without it. */
  | { do: 'noteReport'; isMissing: boolean }
  | { do: 'emitLate'; pid: number }
  | { do: 'emitUnspawnable'; detail: string }
  | { do: 'emitReplacing'; reason: EndReason }
  /** There is another attempt to replace the process after `delay` ms. */
  | { do: 'emitKept'; detail: string; delay: number }
  /** Its start waits for these apps. */
  | { do: 'emitHeld'; waitsFor: readonly string[] }
  /** Report that the process did not exit in time, and is killed. */
  | { do: 'emitOverdue'; pid: number; limit: number }
  /** Store how the process ended, and report it. `asked`: the end was requested, and `why` says by whom. */
  | { do: 'emitExited'; exit: Exit; asked: boolean; why: EndReason | null }
  /** `cause` is reported as the last error unless `isInLog`: then the lines of the error log are, if there are any. */
  | { do: 'emitGiveup'; reason: string; cause: string; isInLog: boolean };

/** What makes a process ready: its message, its listening, or (`any`) the first of listening, message and time, or its ready probe. */
export type Readiness = 'message' | 'listening' | 'any' | 'probe';

/**
 * The sockets of `--listen` that a program inherits: `held`: there are none, or nsv has them. `lost`: they have to be bound first. `inUse`:
 * other processes of the app still have them, so they cannot be.
 */
export type SocketsFor = 'held' | 'lost' | 'inUse';

/** Everything a decision depends on besides the state and the event. Durations in milliseconds. */
export interface TransitionContext {
  name: string;
  now: number;
  listenTimeout: number;
  /** After this, an errored process is tried again; 0 for never. */
  retryAfter: number;
  readiness: Readiness;
  /** Whether it listens anywhere. */
  readonly listens: boolean;
  /** Whether the process says when its program is loaded. Others count as loaded at once. */
  reportsLoaded: boolean;
  /** With `any`: how long it has to stay up once it is loaded, to be taken for ready. */
  readyTimeout: number;
  /** The same for one that is idle then. */
  idleTimeout: number;
  /** The settings that decide when a process has to end, and what follows. */
  rules: AppSpec;
  /** Times of the restarts that count against the limit of the app. */
  recent: readonly number[];
  /** Milliseconds that a restart after a short run has to wait, because other programs are failing too. */
  readonly wait: number;
  /** Kinds of handled errors after which no process of the app was seen to live on. */
  readonly deadlyErrors: readonly HandledErrorKind[];
  /** A process that holds no slot (a trial, or one that has left its slot) is not restarted. */
  holdsSlot: boolean;
  /** It is not ready yet, is the first since a command has started the app, and none of the slot has ever listened. */
  isFirst: boolean;
  /** The apps that it depends on and that are not ready; undefined while not all apps are known. */
  readonly missingApps: readonly string[] | undefined;
  readonly sockets: SocketsFor;
}

export interface Transition {
  state: State;
  effects: Effect[];
}

/** When the process is due for a `deadline` event; null for never. */
export function deadlineOf(state: State): number | null {
  const [first] = duesOf(state);
  return first?.at ?? null;
}

/** What is due when, the first first. `own`: what the state is for. */
export function duesOf(state: State): { what: 'own' | 'excess' | 'failing'; at: number }[] {
  const own = 'deadline' in state ? state.deadline : null;
  const { excess, failing } = state.kind === 'starting' || state.kind === 'online' ? state : {};
  const dues = [
    { what: 'own', at: own },
    { what: 'excess', at: excess?.next ?? null },
    { what: 'failing', at: failing?.until ?? null },
  ] as const;
  return dues.flatMap(({ what, at }) => (at === null ? [] : [{ what, at }])).sort((a, b) => a.at - b.at);
}
