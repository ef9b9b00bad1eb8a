// The columns of `nsv list` with their texts, made to fit, before they become a table.
import type { Paint } from '../paint.ts';
import { padTo, widthOf } from '../width.ts';
import { type Column, defaultColumns, type Row } from './columns.ts';

export interface Filled {
  column: Column;
  texts: string[];
  width: number;
}

/** Columns of the terminal that a text keeps, unless its column has another number, as long as there is a column that may go. */
const comfort = 20;

export function fillColumns(
  processes: readonly Row[],
  columns: readonly Column[] = defaultColumns,
  isFramed = false,
): readonly Filled[] {
  return columns.map((column) => {
    const texts = processes.map((process) => (isFramed && column.more?.(process)) || column.text(process));
    return { column, texts, width: Math.max(...[column.title, ...texts].map(widthOf)) };
  });
}

/**
 * Makes all fit into `room`, each with `gap` beside it: long texts are cut, then the least important columns are left out, then
 * texts are cut further. What is left over goes to the texts that were cut.
 */
export function fitted(filled: readonly Filled[], room: number, gap: number): readonly Filled[] {
  let kept = filled;
  while (spareOf(kept, room, gap) < 0) {
    const least = kept.reduce((a, b) => (b.column.rank > a.column.rank ? b : a));
    if (least.column.rank === 0 || kept.length === 1) break;
    kept = kept.filter((one) => one !== least);
  }
  let spare = spareOf(kept, room, gap);
  return kept.map((one) => {
    if (!one.column.cut) return one;
    const width = Math.max(widthOf(one.column.title), Math.min(one.width, comfortable(one) + spare));
    spare -= width - comfortable(one);
    return width < one.width ? cut(one, width) : one;
  });
}

function spareOf(filled: readonly Filled[], room: number, gap: number): number {
  return room - filled.reduce((sum, one) => sum + comfortable(one) + gap, 0);
}

function comfortable({ column, width }: Filled): number {
  return column.cut ? Math.min(width, column.comfort ?? comfort) : width;
}

function cut({ column, texts }: Filled, width: number): Filled {
  return { column, texts: texts.map((text) => column.cut?.(text, width) ?? text), width };
}

/** The names of the columns, as wide as these are. */
export function titlesOf(filled: readonly Filled[]): string[] {
  return filled.map(({ column, width }) => padTo(column.title, width, column.align));
}

/** The cells row by row, as wide as their columns. */
export function paintRows(filled: readonly Filled[], processes: readonly Row[], paint: Paint): string[][] {
  return processes.map((process, row) =>
    filled.map(({ column, texts, width }) => {
      const text = texts[row] ?? '';
      const blanks = ' '.repeat(Math.max(0, width - widthOf(text)));
      const painted = paint(column.tone?.(process) ?? 'plain', text);
      return column.align === 'right' ? blanks + painted : painted + blanks;
    }),
  );
}
