// The states of a slot, the events that may reach it, and the effects that follow. The table is in table.ts.
import type { EndReason } from '../../ipc/records/deaths.ts';
import type { Restart } from '../process/lifecycle/restart-policy.ts';
import type { Left } from '../process/lifecycle/state.ts';
import type { LeftRecord } from '../process/record.ts';
import type { SlotCandidate } from './assignment.ts';
import type { FailedOutcome, StartOutcome } from './start-outcome.ts';

/** How the process in a slot is replaced by one that is started beside it. */
export interface Replacement {
  /** Why the old process ends. */
  reason: EndReason;
  /** Whether the new process must stay up for the minimum uptime before the old one is asked to end. */
  isCareful: boolean;
}

/** How a command on the slot has ended. */
export type SlotOutcome =
  | { kind: 'done' }
  /** Two processes cannot run side by side: the old one must end first. Nothing has been done. */
  | { kind: 'inPlace' }
  /** The old process goes on. `endFirst`: nothing is lost if it ends, and the new one may succeed only then. */
  | { kind: 'failed'; start: FailedOutcome; endFirst: boolean }
  | { kind: 'interrupted' };

export type SlotState =
  /** The process that holds the slot lives by the table of processes. */
  | { kind: 'held' }
  /** A new process was started beside the holder, and is not ready yet. */
  | { kind: 'trying'; replacement: Replacement }
  /** The new process is ready, but does not listen yet wherever the holder does. After the deadline, that is no reason to wait. */
  | { kind: 'listening'; replacement: Replacement; deadline: number }
  /** The new process has to stay up until the deadline. */
  | { kind: 'settling'; replacement: Replacement; deadline: number }
  /** The new process holds the slot. The next daemon must know that before the old one is asked to end. */
  | { kind: 'recording'; replacement: Replacement }
  /** The old process was asked to end, and still serves somebody. */
  | { kind: 'draining'; replacement: Replacement }
  /** The new process was asked to end: it was not good or, if there is no failure, is no longer wanted. */
  | { kind: 'undoing'; replacement: Replacement; failure: FailedOutcome | null }
  /** Every process of the slot was asked to end. */
  | ({ kind: 'ending' } & SlotEnding);

/** How all processes of a slot end. */
export interface SlotEnding {
  reason: EndReason;
  /** The app has other processes that clients can connect to, so those that end may take their time for idle connections. */
  othersServe: boolean;
}

export type SlotKind = SlotState['kind'];
export type SlotIn<K extends SlotKind> = Extract<SlotState, { kind: K }>;

export type SlotEvent =
  /** A command: replace the process that holds the slot. */
  | { type: 'replace'; replacement: Replacement }
  /** A command: end every process of the slot. */
  | ({ type: 'end' } & SlotEnding)
  /** The previous daemon has left these processes. `wasToEnd`: a command was about to end what held the slot. */
  | { type: 'adopt'; candidates: readonly SlotCandidate[]; wasToEnd: boolean }
  /** The command is no longer wanted. */
  | { type: 'interrupted' }
  /** The process that holds the slot finishes its work and leaves: another one takes its place now. */
  | ({ type: 'leaving' } & Restart)
  /** Something about the app's processes has changed: what the state waits for may have happened. */
  | { type: 'changed' }
  /** What has changed is written down for the next daemon. */
  | { type: 'recorded' }
  | { type: 'deadline' };

export type SlotEventType = SlotEvent['type'];
export type SlotEventOf<T extends SlotEventType> = Extract<SlotEvent, { type: T }>;

/** Everything a decision depends on besides the state and the event. Looked up when it is asked for. */
export interface SlotFacts {
  readonly name: string;
  readonly slot: number;
  readonly now: number;
  /** Whether the slot is one of the app: it has as many as instances. */
  readonly exists: boolean;
  /** Whether the holder serves, and another process of the program can run beside it. */
  readonly canOverlap: boolean;
  /** Whether the daemon has no line to the holder: it is blocked, or not back yet. */
  readonly isHolderAway: boolean;
  /** How the start of the new process has gone; undefined while that is open. */
  readonly start: StartOutcome | undefined;
  /** While the new process is online. */
  readonly trial: TrialFacts | undefined;
  /** Where the holder and its like listen, and the new process does not. */
  readonly missing: readonly string[];
  /** Whether the new process is at rest. */
  readonly isTrialAtRest: boolean;
  /** Whether the process that was replaced is at rest, or only has what no client waits for. */
  readonly old: { isAtRest: boolean; servesNobody: boolean };
  /** The same for all processes of the slot. */
  readonly all: SlotFacts['old'];
}

/** Milliseconds of the monotonic clock, and durations in milliseconds. */
export interface TrialFacts {
  since: number;
  loadedAt: number;
  listenTimeout: number;
}

export type SlotEffect =
  /** Start a new process beside the holder. */
  | { do: 'startTrial' }
  /** Tell the client of the command what it waits for. */
  | { do: 'report'; text: string }
  /** Give the slot to the new process, with what belongs to the slot, and count that for this reason. */
  | { do: 'promote'; reason: EndReason }
  /** Write down what has changed, then answer with `recorded`. */
  | { do: 'record' }
  /** Ask the process that was replaced to end. */
  | { do: 'endOld'; reason: EndReason }
  /** Ask the new process to end. */
  | { do: 'endTrial'; reason: EndReason }
  /** Forget the new process, which is at rest. */
  | { do: 'dropTrial' }
  /** Ask every process of the slot to end. */
  | ({ do: 'endAll' } & SlotEnding)
  /** Take over the process that holds the slot, as the previous daemon has left it. */
  | { do: 'adopt'; record: LeftRecord; fate: Left['fate'] }
  /** Take over one that does not, and ask it to end. */
  | { do: 'adoptLeaver'; record: LeftRecord; reason: EndReason }
  /** Start another process in the place of the holder, which finishes its work; that counts as a restart. */
  | ({ do: 'succeed' } & Restart)
  /** Tell the command how it has ended. */
  | { do: 'settle'; outcome: SlotOutcome };

export interface SlotTransition {
  state: SlotState;
  effects: SlotEffect[];
}

/** When the slot is due for a `deadline` event; null for never. */
export function slotDeadlineOf(state: SlotState): number | null {
  return 'deadline' in state ? state.deadline : null;
}
