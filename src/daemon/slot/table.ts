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

/** One row per state, one column per event. */
type Table = { [K in SlotKind]: Row<SlotIn<K>> };
type Row<S extends SlotState> = {
  [T in SlotEventType]: (state: S, facts: SlotFacts, event: SlotEventOf<T>) => SlotTransition;
};

/**
 * What an event does in a state whose row does not name it; a missing event does not compile. Commands on an app run one after
 * another, so none reaches a slot that another one is still busy with.
 */
const usual: Row<SlotState> = {
  replace: impossible,
  end: impossible,
  adopt: impossible,
  interrupted: ignore,
  leaving: startSuccessor,
  changed: ignore,
  recorded: impossible,
  deadline: impossible,
};

const table: Table = {
  held: { ...usual, replace, end: askAllToEnd, adopt },
  trying: { ...usual, interrupted: interrupt, changed: whenStarted },
  listening: { ...usual, interrupted: interrupt, changed: whenListening, deadline: withoutListening },
  settling: { ...usual, interrupted: interrupt, changed: unlessGone, deadline: promote },
  recording: { ...usual, recorded: askOldToEnd },
  draining: { ...usual, changed: whenDrained },
  undoing: { ...usual, changed: whenUndone },
  ending: { ...usual, changed: whenEnded },
};

export function nextOfSlot(state: SlotState, event: SlotEvent, facts: SlotFacts): SlotTransition {
  const cell = table[state.kind][event.type] as (s: SlotState, f: SlotFacts, e: SlotEvent) => SlotTransition;
  return cell(state, facts, event);
}

/** All states and events, for the diagram and the test of the table. */
export const slotKinds = Object.keys(table) as SlotKind[];
export const slotEventTypes = Object.keys(table.held) as SlotEventType[];
