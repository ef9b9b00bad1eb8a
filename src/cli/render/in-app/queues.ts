// The table of `nsv queue`.
import type { QueueCountsView, QueueView } from '../../../ipc/app/views.ts';
import type { Paint, Tone } from '../paint.ts';
import type { Terminal } from '../terminal.ts';
import { harmless } from '../text.ts';
import { type AlignedColumn, aligned } from './aligned.ts';

const unknown = '-';

export function renderQueues(queues: readonly QueueView[], { tty, columns: room }: Terminal, paint: Paint): string {
  if (queues.length === 0) return 'no running process has a queue';
  const names = queues.map(({ name }) => name);
  const isTwice = ({ name }: QueueView) => names.indexOf(name) !== names.lastIndexOf(name);
  const last: AlignedColumn<QueueView> = {
    title: 'apps',
    text: (queue) => `${appsText(queue)}${isTwice(queue) ? `, in ${harmless(queue.place)}` : ''}`,
  };
  const problems = queues.flatMap(({ name, problem }) =>
    problem === undefined ? [] : [paint('bad', harmless(`${name}: ${problem}`))],
  );
  return [...aligned(queues, [...columns, last], paint, tty ? room : undefined), ...problems].join('\n');
}

const columns: readonly AlignedColumn<QueueView>[] = [
  { title: 'queue', text: ({ name }) => harmless(name), tone: () => 'key' },
  { title: 'state', text: stateOf, tone: (queue) => toneOf(stateOf(queue)) },
  number('pending'),
  number('running'),
  { ...number('failed'), tone: ({ counts }) => (counts && counts.failed > 0 ? 'bad' : 'plain') },
  number('completed'),
  { title: 'last min', text: ({ perMinute }) => String(perMinute ?? unknown), align: 'right' },
];

function number(title: Exclude<keyof QueueCountsView, 'paused'>): AlignedColumn<QueueView> {
  return { title, text: ({ counts }) => String(counts?.[title] ?? unknown), align: 'right' };
}

type State = 'no answer' | 'paused' | 'working' | 'no worker' | 'idle';

/** `no worker`: no process of this daemon works on it; those of other machines may. */
export function stateOf({ counts, processes }: QueueView): State {
  if (!counts) return 'no answer';
  if (counts.paused) return 'paused';
  if (counts.running > 0) return 'working';
  return processes.some(({ works }) => works) ? 'idle' : 'no worker';
}

export function toneOf(state: State): Tone {
  return ({ 'no answer': 'bad', paused: 'warning', working: 'good', 'no worker': 'warning', idle: 'faint' } as const)[
    state
  ];
}

/** With the number of processes that work on it. */
function appsText({ processes }: QueueView): string {
  return [...new Set(processes.map(({ app }) => app))].map(harmless).join(', ');
}
