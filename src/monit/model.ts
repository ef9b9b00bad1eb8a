// The state of `nsv monit`: processes with their CPU and memory over the last minute, logs, and the view of the user.
import type { Tone } from '../cli/render/paint.ts';
import type { QueueView } from '../ipc/app/views.ts';
import type { ProcessView } from '../ipc/views.ts';
import { emptyBook, type LogBook, type LogEntry, linesOf } from './log-book.ts';

export interface Size {
  columns: number;
  rows: number;
}

/** The requests that the user can send to the daemon for one process. */
export type Request = 'restart' | 'reload' | 'stop' | 'start';

/** What the keys control. */
export type Mode =
  | { kind: 'watch' }
  | { kind: 'help' }
  | { kind: 'question'; request: Request; id: number }
  | { kind: 'filter'; text: string };

export interface Notice {
  tone: Tone;
  text: string;
}

/** A paused view of the logs: the lines at the time of pausing, up to one of them. */
export interface Held {
  entries: readonly LogEntry[];
  end: number;
}

export interface Model {
  size: Size;
  mode: Mode;
  processes: readonly ProcessView[];
  /** An id, because the list may change. Undefined while the list is empty. */
  selected: number | undefined;
  /** Those that the processes have opened. */
  queues: readonly QueueView[];
  history: UsageHistory;
  book: LogBook;
  /** Which logs are shown. */
  scope: 'selected' | 'all';
  /** Only lines that contain this text are shown. */
  filter: string;
  /** Whether long lines continue on the next row. */
  wraps: boolean;
  /** Undefined while following the logs. */
  held: Held | undefined;
  /** The result of a request; shown until the next key. */
  notice: Notice | undefined;
  /** Why the list is out of date. */
  trouble: string | undefined;
}

export function initialModel(size: Size): Model {
  return {
    size,
    mode: { kind: 'watch' },
    processes: [],
    selected: undefined,
    queues: [],
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

/** The lines in view, and the line after which the view ends. */
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

/** The label of a process, as at the beginning of each line of `nsv logs`. */
export function labelOf({ id, name, slot }: { id: number; name: string; slot: number | null }): string {
  return [id, name, ...(slot === null ? [] : [slot])].join('|');
}

interface Figures {
  cpu: readonly number[];
  memory: readonly number[];
}

/** By process id, oldest first, one value for each list received. */
type UsageHistory = ReadonlyMap<number, Figures>;

/** The list is requested every second. */
export const mostFigures = 60;

/** Forgets processes that no longer exist. A process that is not running counts as using nothing. */
export function withFigures(history: UsageHistory, processes: readonly ProcessView[]): UsageHistory {
  return new Map(
    processes.map(({ id, cpu, memory }) => {
      const before = history.get(id) ?? { cpu: [], memory: [] };
      return [id, { cpu: lastOf(before.cpu, cpu ?? 0), memory: lastOf(before.memory, memory ?? 0) }];
    }),
  );
}

function lastOf(before: readonly number[], now: number): readonly number[] {
  return [...before, now].slice(-mostFigures);
}
