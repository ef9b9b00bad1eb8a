// Applies events to the model. Pure and total.
import type { QueueView } from '../ipc/app/views.ts';
import type { ProcessView } from '../ipc/views.ts';
import { actions, followed, type KeyAction, type ScreenUpdate } from './actions.ts';
import { actionOf } from './keys.ts';
import { type LogEntry, withEntries, withoutOthers } from './log-book.ts';
import { type Mode, type Model, type Notice, type Size, withFigures } from './model.ts';

export type ScreenEvent =
  | { type: 'resized'; size: Size }
  | { type: 'listed'; processes: readonly ProcessView[] }
  | { type: 'counted'; queues: readonly QueueView[] }
  | { type: 'lost'; reason: string }
  | { type: 'logged'; entries: readonly LogEntry[] }
  | { type: 'noticed'; notice: Notice }
  | { type: 'pressed'; key: string };

export function updateModel(model: Model, event: ScreenEvent): ScreenUpdate {
  switch (event.type) {
    case 'resized':
      return { model: { ...model, size: event.size } };
    case 'listed':
      return { model: listed(model, event.processes) };
    case 'counted':
      return { model: { ...model, queues: event.queues } };
    case 'lost':
      return { model: { ...model, trouble: event.reason } };
    case 'logged':
      return { model: { ...model, book: withEntries(model.book, event.entries) } };
    case 'noticed':
      return { model: { ...model, notice: event.notice } };
    case 'pressed':
      return pressed({ ...model, notice: undefined }, event.key);
  }
}

function listed(model: Model, processes: readonly ProcessView[]): Model {
  const files = new Set(processes.flatMap(({ outFile, errorFile }) => [outFile, errorFile]));
  return {
    ...model,
    processes,
    selected: stillSelected(model, processes),
    history: withFigures(model.history, processes),
    book: withoutOthers(model.book, files),
    trouble: undefined,
  };
}

/** If the selected process is gone, selects the one that took its place in the list. */
function stillSelected(model: Model, processes: readonly ProcessView[]): number | undefined {
  if (processes.some(({ id }) => id === model.selected)) return model.selected;
  const before = model.processes.findIndex(({ id }) => id === model.selected);
  return processes[Math.max(0, Math.min(before, processes.length - 1))]?.id;
}

type Pressed<K extends Mode['kind']> = (model: Model, key: string, mode: Extract<Mode, { kind: K }>) => ScreenUpdate;

const hearing: { [K in Mode['kind']]: Pressed<K> } = {
  watch: (model, key) => (actionOf(key) ? actions[actionOf(key) as KeyAction](model) : { model }),
  help: (model) => ({ model: watching(model) }),
  question(model, key, { request, id }) {
    const process = model.processes.find((each) => each.id === id);
    const isMeant = process && ['y', 'Y'].includes(key);
    return { model: watching(model), ...(isMeant && { effect: { do: 'ask', request, process } }) };
  },
  filter(model, key, { text }) {
    if (key === 'escape') return followed(watching({ ...model, filter: '' }));
    if (key === 'return') return followed(watching({ ...model, filter: text }));
    return { model: { ...model, mode: { kind: 'filter', text: typed(text, key) } } };
  },
};

/** Ctrl-C and Ctrl-Z work in every mode. */
const always = ['C-c', 'C-z'];

function pressed(model: Model, key: string): ScreenUpdate {
  const { kind } = always.includes(key) ? ({ kind: 'watch' } as const) : model.mode;
  return (hearing[kind] as Pressed<typeof kind>)(model, key, model.mode as never);
}

function watching(model: Model): Model {
  return { ...model, mode: { kind: 'watch' } };
}

function typed(text: string, key: string): string {
  if (key === 'backspace') return [...text].slice(0, -1).join('');
  return [...key].length === 1 ? text + key : text;
}
