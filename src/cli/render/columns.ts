// The columns of `nsv list`: what each shows, and which go first when the terminal is narrow.
import type { ProcessView, Status } from '../../ipc/views.ts';
import { renderDuration, renderSize } from '../../shared/units.ts';
import type { Tone } from './paint.ts';
import { printable } from './text.ts';

export interface Column {
  title: string;
  /** The lower, the longer it stays; 0 always does. */
  rank: number;
  text(process: ProcessView): string;
  tone?: (process: ProcessView) => Tone;
  align?: 'right';
}

const none = '-';

const statusTones: Record<Status, Tone> = {
  online: 'good',
  starting: 'warning',
  stopping: 'warning',
  'waiting restart': 'warning',
  stopped: 'faint',
  errored: 'bad',
};

export const columns: readonly Column[] = [
  { title: 'id', rank: 0, text: ({ id }) => String(id), tone: () => 'key', align: 'right' },
  { title: 'name', rank: 0, text: ({ name }) => printable(name) },
  { title: 'mode', rank: 9, text: ({ mode }) => mode },
  { title: 'slot', rank: 8, text: ({ slot }) => String(slot), align: 'right' },
  { title: 'pid', rank: 5, text: ({ pid }) => orNone(pid, String), align: 'right' },
  { title: 'uptime', rank: 4, text: ({ uptime }) => orNone(uptime, renderDuration), align: 'right' },
  { title: 'restarts', rank: 7, text: ({ restarts }) => String(restarts), align: 'right' },
  { title: 'status', rank: 0, text: ({ status }) => status, tone: ({ status }) => statusTones[status] },
  { title: 'cpu', rank: 3, text: ({ cpu }) => orNone(cpu, (percent) => `${Math.round(percent)}%`), align: 'right' },
  { title: 'memory', rank: 2, text: ({ memory }) => orNone(memory, renderSize), align: 'right' },
  { title: 'ports', rank: 6, text: ({ ports }) => printable(ports.join(',')) || none },
];

function orNone(value: number | null, render: (value: number) => string): string {
  return value === null ? none : render(value);
}
