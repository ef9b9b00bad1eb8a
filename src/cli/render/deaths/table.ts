// The list of `nsv deaths`: one line for each record, made to fit a terminal, and complete in a pipe.
import type { DeathCause } from '../../../ipc/records/deaths.ts';
import type { DeathView } from '../../../ipc/views.ts';
import { renderDuration } from '../../../shared/units.ts';
import type { Paint, Tone } from '../paint.ts';
import type { Terminal } from '../terminal.ts';
import { harmless } from '../text.ts';
import { cutTo, padTo, widthOf } from '../width.ts';
import { causeText, evidenceOf } from './words.ts';

interface Column {
  title: string;
  text(death: DeathView): string;
  tone?: (death: DeathView) => Tone;
  align?: 'right';
  /** The columns with the highest number are left out first on a narrow terminal; without one it stays. */
  rank?: number;
}

/** Columns of the terminal that the last column gets at least. */
const leastEvidence = 24;

const columns: readonly Column[] = [
  { title: 'app', text: ({ app }) => harmless(app), tone: () => 'key' },
  { title: '#', text: ({ number }) => String(number), align: 'right' },
  { title: 'when', text: ({ lastAt }) => renderTime(lastAt), rank: 1 },
  { title: 'times', text: ({ times }) => String(times), align: 'right' },
  { title: 'slots', text: ({ slots }) => slots.join(','), rank: 4 },
  { title: 'uptime', text: ({ uptime }) => renderDuration(uptime), align: 'right', rank: 3 },
  { title: 'cause', text: (death) => causeText(death), tone: ({ cause }) => toneOf(cause) },
  { title: 'next', text: ({ next }) => next, rank: 2 },
];

export function renderDeaths(deaths: readonly DeathView[], { tty, columns: room }: Terminal, paint: Paint): string {
  const filled = fitted(
    columns.map((column) => {
      const texts = deaths.map(column.text);
      return { column, texts, width: Math.max(...[column.title, ...texts].map(widthOf)) };
    }),
    tty ? room - leastEvidence : Number.POSITIVE_INFINITY,
  );
  const used = filled.reduce((sum, { width }) => sum + width + 2, 0);
  const rest = tty ? Math.max(leastEvidence, room - used) : Number.POSITIVE_INFINITY;
  const head = [...filled.map(({ column, width }) => padTo(column.title, width, column.align)), 'what happened'];
  const rows = deaths.map((death, row) => [
    ...filled.map(({ column, texts, width }) =>
      paint(column.tone?.(death) ?? 'plain', padTo(texts[row] ?? '', width, column.align)),
    ),
    cutTo(harmless(evidenceOf(death)), rest),
  ]);
  return [head.join('  ').trimEnd(), ...rows.map((cells) => cells.join('  ').trimEnd())].join('\n');
}

interface Filled {
  column: Column;
  texts: string[];
  width: number;
}

function fitted(filled: Filled[], room: number): Filled[] {
  const needed = filled.reduce((sum, { width }) => sum + width + 2, 0);
  const least = filled.reduce((one, other) => ((other.column.rank ?? 0) > (one.column.rank ?? 0) ? other : one));
  if (needed <= room || !least.column.rank) return filled;
  return fitted(
    filled.filter((one) => one !== least),
    room,
  );
}

function toneOf(cause: DeathCause): Tone {
  if (cause === 'asked' || cause === 'age' || cause === 'requests') return 'faint';
  return cause === 'exit' || cause === 'unknown' ? 'warning' : 'bad';
}

/** `2026-01-31 09:00:00`, in UTC as everywhere in nsv. */
function renderTime(at: number): string {
  return new Date(at).toISOString().slice(0, 19).replace('T', ' ');
}
