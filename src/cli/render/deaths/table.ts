// The list of `nsv deaths`: one line for each record, made to fit a terminal, and complete in a pipe.
import type { DeathCause } from '../../../ipc/records/deaths.ts';
import type { DeathView } from '../../../ipc/views.ts';
import { renderDuration } from '../../../shared/units.ts';
import type { Paint, Tone } from '../paint.ts';
import { type CellColumn, fillColumns, fitted, paintRows, titlesOf, withoutFrames } from '../table/cells.ts';
import type { Terminal } from '../terminal.ts';
import { harmless } from '../text.ts';
import { cutTo } from '../width.ts';
import { causeText, evidenceOf } from './words.ts';

/** Columns of the terminal that the last column gets at least. */
const leastEvidence = 24;

const columns: readonly CellColumn<DeathView>[] = [
  { title: 'app', rank: 0, text: ({ app }) => harmless(app), tone: () => 'key' },
  { title: '#', rank: 0, text: ({ number }) => String(number), align: 'right' },
  { title: 'when', rank: 1, text: ({ lastAt }) => renderTime(lastAt) },
  { title: 'times', rank: 0, text: ({ times }) => String(times), align: 'right' },
  { title: 'slots', rank: 4, text: ({ slots }) => slots.join(',') },
  { title: 'uptime', rank: 3, text: ({ uptime }) => renderDuration(uptime), align: 'right' },
  { title: 'cause', rank: 0, text: (death) => causeText(death), tone: ({ cause }) => toneOf(cause) },
  { title: 'next', rank: 2, text: ({ next }) => next },
];

export function renderDeaths(deaths: readonly DeathView[], { tty, columns: room }: Terminal, paint: Paint): string {
  const all = fillColumns(deaths, columns);
  const filled = tty ? fitted(all, room - leastEvidence, 2) : all;
  const used = filled.reduce((sum, { width }) => sum + width + 2, 0);
  const rest = tty ? Math.max(leastEvidence, room - used) : Number.POSITIVE_INFINITY;
  const evidence = deaths.map((death) => cutTo(harmless(evidenceOf(death)), rest));
  const rows = paintRows(filled, deaths, paint).map((cells, row) => [...cells, evidence[row]!]);
  return withoutFrames([[...titlesOf(filled), 'what happened'], ...rows]);
}

function toneOf(cause: DeathCause): Tone {
  if (cause === 'asked' || cause === 'age' || cause === 'requests') return 'faint';
  return cause === 'exit' || cause === 'unknown' ? 'warning' : 'bad';
}

/** `2026-01-31 09:00:00`, in UTC as everywhere in nsv. */
function renderTime(at: number): string {
  return new Date(at).toISOString().slice(0, 19).replace('T', ' ');
}
