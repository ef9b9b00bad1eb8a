// The columns of `nsv list`: their content, and which to drop on a narrow terminal.

import { describeCause } from '../../../ipc/records/deaths.ts';
import { problemWord } from '../../../ipc/records/problems.ts';
import type { ProcessView, Status } from '../../../ipc/views.ts';
import { failure } from '../../../shared/errors.ts';
import { renderDuration, renderSize } from '../../../shared/units.ts';
import { exitText, summaryText } from '../deaths/words.ts';
import type { Tone } from '../paint.ts';
import { harmless } from '../text.ts';
import { cutMiddle, cutTo } from '../width.ts';
import type { CellColumn } from './cells.ts';

/** What is looked up only for columns that show it. */
interface AppFacts {
  version: string | null;
  user: string;
  watching: boolean;
}

/** A process, and what some columns show besides. */
export type ProcessRow = ProcessView & Partial<AppFacts>;

export interface Column extends CellColumn<ProcessRow> {
  /** Shown only where it is asked for by name. */
  onRequest?: true;
  /** Whether its rows need what is in AppFacts. */
  needsFacts?: true;
}

const none = '-';

/** Columns of the terminal from which on the cause of a death says something. */
const leastCause = 30;
/** Milliseconds of uptime after which a process has got over the last death. */
const recovered = 60_000;

const statusTones: Record<Status, Tone> = {
  online: 'good',
  starting: 'warning',
  stopping: 'warning',
  'waiting restart': 'warning',
  held: 'warning',
  stopped: 'faint',
  errored: 'bad',
};

/** Whether its last death still explains what is seen. */
function isInTrouble({ status, uptime }: ProcessView): boolean {
  return status === 'online' ? (uptime ?? 0) < recovered : status !== 'stopped' && status !== 'held';
}

function standingText({ status, silent, unready, completed, finished, lastExit, waitsFor = [] }: ProcessView): string {
  if (status === 'held') return `held by ${harmless(waitsFor.join(','))}`;
  if (unready !== undefined) return 'not ready';
  if (finished && lastExit) return completed ? 'completed' : `ended, ${exitText(lastExit)}`;
  return silent ? 'running' : status;
}

const failedReload = /^\w+, reload failed/;

/** The first one in words, and how many there are besides. */
function problemsText({ problems: [first, ...others] = [] }: ProcessView): string {
  if (!first) return '';
  return `, ${problemWord(first)}${others.length > 0 ? ` +${others.length}` : ''}`;
}

/** A status without the reason for it. */
function wordsOf(text: string): string {
  return (failedReload.exec(text) ?? /^[^:]*/.exec(text))?.[0] ?? '';
}

export const columns: readonly Column[] = [
  { title: 'id', text: ({ id }) => String(id), tone: () => 'key', align: 'right' },
  { title: 'name', text: ({ name }) => harmless(name), cut: cutMiddle },
  { title: 'namespace', rank: 10, text: ({ namespace }) => harmless(namespace), cut: cutMiddle, onRequest: true },
  { title: 'mode', rank: 9, text: ({ mode }) => mode },
  { title: 'slot', rank: 7, text: ({ slot }) => String(slot), align: 'right' },
  { title: 'pid', rank: 8, text: ({ pid }) => orNone(pid, String), align: 'right' },
  { title: 'uptime', rank: 4, text: ({ uptime }) => orNone(uptime, renderDuration), align: 'right' },
  { title: 'restarts', rank: 5, text: ({ restarts }) => String(restarts), align: 'right' },
  { title: 'planned', rank: 10, text: ({ planned }) => String(planned), align: 'right', onRequest: true },
  {
    title: 'status',
    text: (process) => standingText(process) + problemsText(process),
    more: (process) => {
      const { status, reason, lastDeath } = process;
      if (!lastDeath || !isInTrouble(process)) return undefined;
      // What nsv has given up for may be more than how the process has ended.
      const isInReason = reason === null || reason.startsWith(describeCause(lastDeath));
      return `${status}${problemsText(process)}: ${harmless(isInReason ? summaryText(lastDeath) : reason)}`;
    },
    comfort: (texts) =>
      Math.max(...texts.map((text) => failedReload.exec(text)?.[0].length ?? Math.min(15, wordsOf(text).length))),
    cut: (text, width) => cutTo(width < leastCause ? wordsOf(text) : text, width),
    tone: ({ status, unready, problems }) =>
      status === 'online' && (problems || unready !== undefined) ? 'warning' : statusTones[status],
  },
  { title: 'cpu', rank: 3, text: ({ cpu }) => orNone(cpu, (percent) => `${Math.round(percent)}%`), align: 'right' },
  { title: 'memory', rank: 2, text: ({ memory }) => orNone(memory, renderSize), align: 'right' },
  { title: 'version', rank: 10, text: ({ version }) => harmless(version ?? none), onRequest: true, needsFacts: true },
  { title: 'user', rank: 10, text: ({ user = none }) => harmless(user), onRequest: true, needsFacts: true },
  { title: 'watching', rank: 10, text: ({ watching }) => (watching ? 'yes' : none), onRequest: true, needsFacts: true },
  { title: 'ports', rank: 6, text: ({ ports }) => harmless(ports.join(',')) || none, cut: cutTo },
];

export const defaultColumns: readonly Column[] = columns.filter(({ onRequest }) => !onRequest);

/** What `--columns` asks for, in its order. Throws BAD_OPTION. */
export function columnsOf(list: string): Column[] {
  const titles = columns.map(({ title }) => title);
  const words = [...new Set(list.split(',').map((word) => word.trim().toLowerCase()))];
  const problems = words
    .filter((word) => !titles.includes(word))
    .map((word) => `--columns: there is no column ${JSON.stringify(word)}; the columns are ${titles.join(', ')}`);
  if (problems.length > 0) throw failure('BAD_OPTION', { problems });
  return words.flatMap((word) => columns.find(({ title }) => title === word) ?? []);
}

function orNone(value: number | null, render: (value: number) => string): string {
  return value === null ? none : render(value);
}

interface Order {
  column: Column;
  isDescending: boolean;
}

/** The order that is asked for: `memory`, or `memory:desc` for the largest first. Throws BAD_OPTION. */
export function orderOf(given: string): Order {
  const [title, order = 'asc', ...more] = given.trim().toLowerCase().split(':');
  const column = columns.find((each) => each.title === title);
  if (column && ['asc', 'desc'].includes(order) && more.length === 0) return { column, isDescending: order === 'desc' };
  const problem = `--sort must be a column, optionally with an order, such as "memory:desc", not ${JSON.stringify(given)}`;
  const titles = columns.map((each) => each.title);
  throw failure('BAD_OPTION', { problems: [`${problem}; the columns are ${titles.join(', ')}`] });
}

/** Processes with the same value stay in their order, and those without a value come last. */
export function sorted(rows: readonly ProcessRow[], { column, isDescending }: Order): ProcessRow[] {
  const valueIn = (row: ProcessRow) => row[column.title as keyof ProcessRow] ?? null;
  const sign = isDescending ? -1 : 1;
  return [...rows].sort((one, other) => {
    const [a, b] = [valueIn(one), valueIn(other)];
    if (a === null || b === null) return Number(a === null) - Number(b === null);
    return sign * compare(a, b);
  });
}

function compare(a: unknown, b: unknown): number {
  return typeof a === 'number' && typeof b === 'number'
    ? a - b
    : String(a).localeCompare(String(b), 'en', { numeric: true });
}
