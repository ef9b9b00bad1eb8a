// The table of `nsv queue`, and what `nsv queue <name>` shows: the counts of a queue, and some of its tasks.
import type {
  QueueCountsView,
  QueueDetailsView,
  QueueMemberView,
  QueueTaskView,
  QueueView,
} from '../../../ipc/app/views.ts';
import { renderDuration } from '../../../shared/units.ts';
import type { Paint, Tone } from '../paint.ts';
import type { Terminal } from '../terminal.ts';
import { harmless } from '../text.ts';
import { cutMiddle, cutTo } from '../width.ts';
import { type CellColumn, type Filled, fillColumns, narrowed, paintRows, titlesOf } from './cells.ts';

const unknown = '-';

export function renderQueues(queues: readonly QueueView[], { tty, columns: room }: Terminal, paint: Paint): string {
  if (queues.length === 0) return 'no running process has a queue';
  const names = queues.map(({ name }) => name);
  const isTwice = ({ name }: QueueView) => names.indexOf(name) !== names.lastIndexOf(name);
  const last: CellColumn<QueueView> = {
    title: 'apps',
    text: (queue) => `${appsText(queue)}${isTwice(queue) ? `, in ${harmless(queue.place)}` : ''}`,
  };
  const problems = queues.flatMap(({ name, problem }) =>
    problem === undefined ? [] : [paint('bad', harmless(`${name}: ${problem}`))],
  );
  return [...aligned(queues, [...columns, last], paint, tty ? room : undefined), ...problems].join('\n');
}

const columns: readonly CellColumn<QueueView>[] = [
  { title: 'queue', text: ({ name }) => harmless(name), tone: () => 'key' },
  { title: 'state', text: stateOf, tone: (queue) => toneOf(stateOf(queue)) },
  number('pending'),
  number('running'),
  { ...number('failed'), tone: ({ counts }) => (counts && counts.failed > 0 ? 'bad' : 'plain') },
  number('completed'),
  { title: 'last min', text: ({ perMinute }) => String(perMinute ?? unknown), align: 'right' },
];

function number(title: Exclude<keyof QueueCountsView, 'paused'>): CellColumn<QueueView> {
  return { title, text: ({ counts }) => String(counts?.[title] ?? unknown), align: 'right' };
}

type State = 'no answer' | 'paused' | 'working' | 'no worker' | 'idle';

/** `no worker`: no process of this daemon works on it; those of other machines may. */
function stateOf({ counts, processes }: QueueView): State {
  if (!counts) return 'no answer';
  if (counts.paused) return 'paused';
  if (counts.running > 0) return 'working';
  return processes.some(({ works }) => works) ? 'idle' : 'no worker';
}

function toneOf(state: State): Tone {
  return ({ 'no answer': 'bad', paused: 'warning', working: 'good', 'no worker': 'warning', idle: 'faint' } as const)[
    state
  ];
}

function appsText({ processes }: QueueView): string {
  return [...new Set(processes.map(({ app }) => app))].map(harmless).join(', ');
}

type Column = CellColumn<QueueTaskView>;
type Kind = 'running' | 'failed' | 'pending';

const indent = '  ';

/** `now`: in milliseconds since 1970. */
export function renderQueue(queue: QueueDetailsView, now: number, terminal: Terminal, paint: Paint): string {
  const room = terminal.tty ? terminal.columns : undefined;
  const tasks = (['running', 'failed', 'pending'] as const).map((kind) => section(queue, kind, now, paint, room));
  return [head(queue, paint, room), ...tasks.filter((text) => text !== '')].join('\n\n');
}

function head(queue: QueueDetailsView, paint: Paint, room: number | undefined): string {
  const { name, place, counts, perMinute, processes } = queue;
  const state = stateOf(queue);
  const figures = counts
    ? `${counts.pending} pending, ${counts.running} running, ${counts.failed} failed, ${counts.completed} completed`
    : '';
  const rows = [
    ['tasks', figures],
    ['last minute', perMinute === null ? '' : `${perMinute} completed`],
    ['kept in', harmless(place)],
    ['workers', instancesText(processes.filter(({ works }) => works))],
    ['opened by', instancesText(processes.filter(({ works }) => !works))],
  ].filter(([, text]) => text !== '');
  return [
    `${paint('key', `queue ${harmless(name)}`)}  ${paint(toneOf(state), state)}`,
    ...rows.map(([label = '', text = '']) => {
      const shown = room === undefined ? text : cutTo(text, room - 15);
      return `${indent}${paint('faint', label.padEnd(11))}${indent}${shown}`;
    }),
  ].join('\n');
}

function instancesText(processes: readonly QueueMemberView[]): string {
  return processes.map(({ app, slot }) => `${harmless(app)}/${slot}`).join(', ');
}

const titles: Record<Kind, string> = { running: 'running', failed: 'failed last', pending: 'next' };

function section(queue: QueueDetailsView, kind: Kind, now: number, paint: Paint, room: number | undefined): string {
  const tasks = queue[kind];
  if (tasks.length === 0) return '';
  const more = (queue.counts?.[kind] ?? 0) - tasks.length;
  const rows = aligned(tasks, columnsOf(kind, now), paint, room === undefined ? undefined : room - indent.length);
  return [
    paint('key', titles[kind]),
    ...rows.map((row) => `${indent}${row}`),
    ...(more > 0 ? [`${indent}${paint('faint', `and ${more} more`)}`] : []),
  ].join('\n');
}

function columnsOf(kind: Kind, now: number): Column[] {
  const id: Column = { title: 'id', text: (task) => harmless(task.id) };
  const attempts: Column = { title: 'attempts', text: (task) => String(task.attempts), align: 'right' };
  const error: Column = { title: 'error', text: (task) => harmless(task.error ?? ''), tone: () => 'bad' };
  switch (kind) {
    case 'running':
      return [
        id,
        { title: 'where', text: whereText },
        { title: 'for', text: ({ startedAt }) => sinceText(startedAt, now), align: 'right' },
        attempts,
        { title: 'progress', text: (task) => harmless(task.progress ?? '') },
      ];
    case 'failed':
      return [
        id,
        { title: 'ago', text: ({ finishedAt }) => sinceText(finishedAt, now), align: 'right' },
        attempts,
        error,
      ];
    case 'pending':
      return [id, { title: 'begins in', text: ({ dueAt }) => untilText(dueAt, now), align: 'right' }, attempts, error];
  }
}

function whereText({ process, worker }: QueueTaskView): string {
  return harmless(process ? `${process.app}/${process.slot}` : (worker ?? ''));
}

function sinceText(at: number | undefined, now: number): string {
  return at === undefined ? '' : renderDuration(Math.max(0, now - at));
}

/** Nothing for those whose turn it is as soon as there is room. */
function untilText(at: number | undefined, now: number): string {
  return at === undefined || at <= now ? '' : renderDuration(at - now);
}

const gap = '  ';
/** Columns of a terminal that one column of the table takes at most, but for the last, which takes what is left. */
const mostWidth = 30;
const leastLast = 10;

/** Made to fit a terminal, complete in a pipe: the titles, then the rows. `room`: columns of the terminal; undefined for a pipe. */
function aligned<Row>(
  rows: readonly Row[],
  columns: readonly CellColumn<Row>[],
  paint: Paint,
  room?: number,
): string[] {
  const all = fillColumns(rows, columns);
  const filled = room === undefined ? all : withinRoom(all, room);
  const titles = paint('faint', titlesOf(filled).join(gap).trimEnd());
  return [titles, ...paintRows(filled, rows, paint).map((cells) => cells.join(gap).trimEnd())];
}

function withinRoom<Row>(all: readonly Filled<Row>[], room: number): Filled<Row>[] {
  const kept = all.slice(0, -1).map((one) => narrowed(one, mostWidth, cutMiddle));
  const taken = kept.reduce((sum, { width }) => sum + width + gap.length, 0);
  return [...kept, ...all.slice(-1).map((one) => narrowed(one, Math.max(leastLast, room - taken), cutTo))];
}
