// The effect of each user action on the model. Pure.
import type { ProcessView } from '../ipc/views.ts';
import { type Held, linesInView, type Model, type Request, selectedProcess } from './model.ts';
import { areasOf } from './render/areas.ts';
import { countThatFit } from './render/logs.ts';

/** The effects to perform outside of the model. */
export type ScreenEffect =
  | { do: 'quit' | 'suspend' | 'redraw' }
  | { do: 'ask'; request: Request; process: ProcessView };

export interface ScreenUpdate {
  model: Model;
  effect?: ScreenEffect;
}

export const actions = {
  quit: (model) => ({ model, effect: { do: 'quit' } }),
  suspend: (model) => ({ model, effect: { do: 'suspend' } }),
  redraw: (model) => ({ model, effect: { do: 'redraw' } }),
  help: (model) => ({ model: { ...model, mode: { kind: 'help' } } }),
  filter: (model) => ({ model: { ...model, mode: { kind: 'filter', text: model.filter } } }),
  selectPrevious: (model) => select(model, -1),
  selectNext: (model) => select(model, 1),
  toggleScope: (model) => followed({ ...model, scope: model.scope === 'all' ? 'selected' : 'all' }),
  toggleWrap: (model) => ({ model: { ...model, wraps: !model.wraps } }),
  toggleHold: (model) => (model.held ? followed(model) : { model: { ...model, held: linesInView(model) } }),
  pageUp: (model) => scrolledTo(model, ({ entries, end }, fit) => end - fit(entries.slice(0, end).reverse())),
  pageDown: (model) => scrolledTo(model, ({ entries, end }, fit) => end + fit(entries.slice(end))),
  toBeginning: (model) => scrolledTo(model, () => 0),
  toEnd: followed,
  restart: (model) => question(model, 'restart'),
  reload: (model) => question(model, 'reload'),
  stopOrStart: (model) => question(model, mayBeStarted(selectedProcess(model)) ? 'start' : 'stop'),
} satisfies Record<string, (model: Model) => ScreenUpdate>;

export type KeyAction = keyof typeof actions;

export function followed(model: Model): ScreenUpdate {
  return { model: { ...model, held: undefined } };
}

function select(model: Model, by: number): ScreenUpdate {
  const { processes, selected } = model;
  const at = processes.findIndex(({ id }) => id === selected);
  const next = processes[at + by];
  if (!next) return { model };
  const moved = { ...model, selected: next.id };
  return model.scope === 'all' ? { model: moved } : followed(moved);
}

/** Where the view should end. `fit`: how many of these lines fit on a page. */
type Place = (view: Held, fit: (entries: Held['entries']) => number) => number;

/** Stops at the first page; past the last line, following the logs resumes. */
function scrolledTo(model: Model, place: Place): ScreenUpdate {
  const view = linesInView(model);
  const fit = (entries: Held['entries']) => countThatFit(entries, areasOf(model).logs, model);
  const end = Math.max(fit(view.entries), place(view, fit));
  return end >= view.entries.length ? followed(model) : { model: { ...model, held: { ...view, end } } };
}

function question(model: Model, request: Request): ScreenUpdate {
  const process = selectedProcess(model);
  return process ? { model: { ...model, mode: { kind: 'question', request, id: process.id } } } : { model };
}

function mayBeStarted(process: ProcessView | undefined): boolean {
  return process?.status === 'stopped' || process?.status === 'errored';
}
