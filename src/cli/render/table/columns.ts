// The columns of `nsv list`: their content, and which to drop on a narrow terminal.
import type { ProcessView, Status } from '../../../ipc/views.ts';
import { failure } from '../../../shared/errors.ts';
import { renderDuration, renderSize } from '../../../shared/units.ts';
import type { Tone } from '../paint.ts';
import { harmless } from '../text.ts';
import { cutMiddle, cutTo } from '../width.ts';

export interface Column {
  title: string;
  /** Columns with a higher rank are dropped first; 0 is never dropped. */
  rank: number;
  text(process: ProcessView): string;
  tone?: (process: ProcessView) => Tone;
  align?: 'right';
  /** How a text may be shortened; without it none is. */
  cut?: (text: string, width: number) => string;
  /** Shown only where it is asked for by name. */
  onRequest?: true;
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
  { title: 'name', rank: 0, text: ({ name }) => harmless(name), cut: cutMiddle },
  { title: 'namespace', rank: 10, text: ({ namespace }) => harmless(namespace), cut: cutMiddle, onRequest: true },
  { title: 'mode', rank: 9, text: ({ mode }) => mode },
  { title: 'slot', rank: 8, text: ({ slot }) => String(slot), align: 'right' },
  { title: 'pid', rank: 5, text: ({ pid }) => orNone(pid, String), align: 'right' },
  { title: 'uptime', rank: 4, text: ({ uptime }) => orNone(uptime, renderDuration), align: 'right' },
  { title: 'restarts', rank: 7, text: ({ restarts }) => String(restarts), align: 'right' },
  { title: 'status', rank: 0, text: ({ status }) => status, tone: ({ status }) => statusTones[status] },
  { title: 'cpu', rank: 3, text: ({ cpu }) => orNone(cpu, (percent) => `${Math.round(percent)}%`), align: 'right' },
  { title: 'memory', rank: 2, text: ({ memory }) => orNone(memory, renderSize), align: 'right' },
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
