// The log lines: of all processes with labels, or of the selected one.
import { hues, type Paint, type Tone } from '../../cli/render/paint.ts';
import { harmless } from '../../cli/render/text.ts';
import { whyUnkept } from '../../cli/render/unkept.ts';
import { padTo, piecesOf, widthOf } from '../../cli/render/width.ts';
import type { LogEntry } from '../log-book.ts';
import { labelOf, linesInView, type Model, selectedProcess } from '../model.ts';
import { renderRow, renderRule, type TextPart } from './row.ts';

type Row = readonly TextPart[];

export function renderLogsRule(model: Model, paint: Paint): string {
  const { entries, end } = linesInView(model);
  const process = selectedProcess(model);
  const whose = model.scope === 'all' ? 'all processes' : process ? labelOf(process) : 'no process';
  const below = entries.length - end;
  const held = below > 0 ? `paused, ${below} lines below` : 'paused';
  return renderRule(
    [
      ['plain', `logs of ${whose}`],
      ['warning', model.filter === '' ? '' : `  with "${model.filter}"`],
      ['warning', model.held ? `  ${held}` : ''],
    ],
    model.size.columns,
    paint,
  );
}

/** Fills the rows from the bottom up with the last lines. */
export function renderLogs(model: Model, rows: number, paint: Paint): string[] {
  if (rows === 0) return [];
  const { entries, end } = linesInView(model);
  const shown = entries.slice(Math.max(0, end - rows), end);
  const look = lookOf(model);
  const filled: Row[] = shown.flatMap((entry) => rowsOf(entry, look)).slice(-rows);
  if (filled.length === 0) filled.push([['faint', emptyText(model)]]);
  return filled.map((row) => renderRow(row, model.size.columns, paint));
}

/** How many entries, from the first one on, fit in this many rows; at least one. */
export function countThatFit(entries: readonly LogEntry[], rows: number, model: Model): number {
  const look = lookOf(model);
  let left = rows;
  let count = 0;
  for (const entry of entries.slice(0, rows)) {
    left -= rowsOf(entry, look).length;
    if (left < 0) break;
    count += 1;
  }
  return Math.max(1, count);
}

interface Look {
  columns: number;
  wraps: boolean;
  /** Width of the label in columns; undefined without labels. */
  label: number | undefined;
}

/** Labels take at most a third of the screen. */
function lookOf({ size: { columns }, scope, wraps, book }: Model): Look {
  if (scope === 'selected') return { columns, wraps, label: undefined };
  const labels = [...new Set(book.all.map(labelOf))];
  const widest = Math.max(0, ...labels.map((label) => widthOf(harmless(label))));
  return { columns, wraps, label: Math.min(Math.floor(columns / 3), widest) };
}

function rowsOf(entry: LogEntry, { columns, wraps, label: width }: Look): Row[] {
  const label = width === undefined ? '' : `${padTo(harmless(labelOf(entry)), width)} `;
  const text = harmless(entry.text);
  const pieces = wraps ? piecesOf(text, Math.max(1, columns - widthOf(label) - 2)) : [text];
  return pieces.map((piece, index) => [
    [hueOf(entry), index === 0 ? label : ' '.repeat(widthOf(label))],
    // Distinguishable without colours too.
    entry.stream === 'err' ? ['bad', '! '] : ['faint', '| '],
    ['plain', piece],
  ]);
}

function hueOf({ id }: LogEntry): Tone {
  return hues[id % hues.length]!;
}

function emptyText(model: Model): string {
  if (model.filter !== '') return 'no matching lines';
  const process = model.scope === 'selected' ? selectedProcess(model) : undefined;
  return (process && whyUnkept(process)) ?? 'no lines yet';
}
