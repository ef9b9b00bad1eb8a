// What `nsv monit` knows: about the processes, their logs, and what the user looks at.
import type { Tone } from '../cli/render/paint.ts';
import type { ProcessView } from '../ipc/views.ts';
import type { UsageHistory } from './history.ts';
import { emptyBook, type LogBook, type LogEntry, linesOf } from './log-book.ts';

export interface Size {
  columns: number;
  rows: number;
}

/** What can be asked of the daemon for one process. */
export type Request = 'restart' | 'reload' | 'stop' | 'start';

/** Whom the keys speak to. */
export type Mode =
  | { kind: 'watch' }
  | { kind: 'help' }
  | { kind: 'question'; request: Request; id: number }
  | { kind: 'filter'; text: string };

export interface Notice {
  tone: Tone;
  text: string;
}

/** Logs that do not move: what there was when it was asked for, up to one of its lines. */
export interface Held {
  entries: readonly LogEntry[];
  end: number;
}

export interface Model {
  size: Size;
  mode: Mode;
  processes: readonly ProcessView[];
  /** By its id: the list may change. Undefined while it is empty. */
  selected: number | undefined;
  history: UsageHistory;
  book: LogBook;
  /** Whose logs are shown. */
  scope: 'selected' | 'all';
  /** Only lines that contain it are shown. */
  filter: string;
  /** Whether a line that is too long goes on in the next row. */
  wraps: boolean;
  /** Undefined while the logs are followed. */
  held: Held | undefined;
  /** What came of a request; until the next key. */
  notice: Notice | undefined;
  /** Why the list is not of this moment. */
  trouble: string | undefined;
}

export function initialModel(size: Size): Model {
  return {
    size,
    mode: { kind: 'watch' },
    processes: [],
    selected: undefined,
    history: new Map(),
    book: emptyBook,
    scope: 'selected',
    filter: '',
    wraps: false,
    held: undefined,
    notice: undefined,
    trouble: undefined,
  };
}

export function selectedProcess({ processes, selected }: Model): ProcessView | undefined {
  return processes.find(({ id }) => id === selected);
}

/** The lines that are looked at, and behind which of them the view ends. */
export function linesInView(model: Model): Held {
  if (model.held) return model.held;
  const entries = matching(linesInScope(model), model.filter);
  return { entries, end: entries.length };
}

function linesInScope(model: Model): readonly LogEntry[] {
  if (model.scope === 'all') return model.book.all;
  const process = selectedProcess(model);
  return process ? linesOf(model.book, [process.outFile, process.errorFile]) : [];
}

function matching(entries: readonly LogEntry[], filter: string): readonly LogEntry[] {
  if (filter === '') return entries;
  const wanted = filter.toLowerCase();
  return entries.filter(({ text }) => text.toLowerCase().includes(wanted));
}

/** What a process is called here, as before each line of `nsv logs`. */
export function labelOf({ id, name, slot }: { id: number; name: string; slot: number | null }): string {
  return [id, name, ...(slot === null ? [] : [slot])].join('|');
}
