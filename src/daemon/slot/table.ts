// The life of a slot as one total table: what each event does in each state. Its processes live by their own table
// (process/lifecycle.ts). Pure: no clock, no timers, no process. slot.ts performs the effects.
import type {
  SlotEvent,
  SlotEventOf,
  SlotEventType,
  SlotFacts,
  SlotIn,
  SlotKind,
  SlotState,
  SlotTransition,
} from './state.ts';
import {
  adopt,
  askAllToEnd,
  askOldToEnd,
  ignore,
  impossible,
  interrupt,
  promote,
  replace,
  startSuccessor,
  unlessGone,
  whenDrained,
  whenEnded,
  whenListening,
  whenStarted,
  whenUndone,
  withoutListening,
} from './transitions.ts';

/** One row per state, one column per event. A missing cell does not compile. */
type Table = {
  [K in SlotKind]: {
    [T in SlotEventType]: (state: SlotIn<K>, facts: SlotFacts, event: SlotEventOf<T>) => SlotTransition;
  };
};

// Commands on an app run one after another, so none reaches a slot that another one is still busy with.
const table: Table = {
  held: {
    replace,
    end: askAllToEnd,
    adopt,
    interrupted: ignore,
    leaving: startSuccessor,
    changed: ignore,
    recorded: impossible,
    deadline: impossible,
  },
  trying: {
    replace: impossible,
    end: impossible,
    adopt: impossible,
    interrupted: interrupt,
    leaving: startSuccessor,
    changed: whenStarted,
    recorded: impossible,
    deadline: impossible,
  },
  listening: {
    replace: impossible,
    end: impossible,
    adopt: impossible,
    interrupted: interrupt,
    leaving: startSuccessor,
    changed: whenListening,
    recorded: impossible,
    deadline: withoutListening,
  },
  settling: {
    replace: impossible,
    end: impossible,
    adopt: impossible,
    interrupted: interrupt,
    leaving: startSuccessor,
    changed: unlessGone,
    recorded: impossible,
    deadline: promote,
  },
  recording: {
    replace: impossible,
    end: impossible,
    adopt: impossible,
    interrupted: ignore,
    leaving: startSuccessor,
    changed: ignore,
    recorded: askOldToEnd,
    deadline: impossible,
  },
  draining: {
    replace: impossible,
    end: impossible,
    adopt: impossible,
    interrupted: ignore,
    leaving: startSuccessor,
    changed: whenDrained,
    recorded: impossible,
    deadline: impossible,
  },
  undoing: {
    replace: impossible,
    end: impossible,
    adopt: impossible,
    interrupted: ignore,
    leaving: startSuccessor,
    changed: whenUndone,
    recorded: impossible,
    deadline: impossible,
  },
  ending: {
    replace: impossible,
    end: impossible,
    adopt: impossible,
    interrupted: ignore,
    leaving: startSuccessor,
    changed: whenEnded,
    recorded: impossible,
    deadline: impossible,
  },
};

export function nextOfSlot(state: SlotState, event: SlotEvent, facts: SlotFacts): SlotTransition {
  const cell = table[state.kind][event.type] as (s: SlotState, f: SlotFacts, e: SlotEvent) => SlotTransition;
  return cell(state, facts, event);
}

/** All states and events, for the diagram and the test of the table. */
export const slotKinds = Object.keys(table) as SlotKind[];
export const slotEventTypes = Object.keys(table.held) as SlotEventType[];
