// The columns of `nsv list` with their texts, before they become a table.
import type { ProcessView } from '../../ipc/views.ts';
import { type Column, columns } from './columns.ts';
import type { Paint } from './paint.ts';
import { shortened } from './text.ts';

export interface Filled {
  column: Column;
  texts: string[];
  width: number;
}

export function fillColumns(processes: readonly ProcessView[]): Filled[] {
  return columns.map((column) => {
    const texts = processes.map((process) => column.text(process));
    return { column, texts, width: Math.max(...[column.title, ...texts].map((text) => text.length)) };
  });
}

/** Leaves out the least important columns, then cuts the names, until all fit, each with `gap` beside it. */
export function fitted(filled: readonly Filled[], room: number, gap: number): readonly Filled[] {
  const excess = filled.reduce((sum, { width }) => sum + width + gap, 0) - room;
  if (excess <= 0) return filled;
  const least = filled.reduce((a, b) => (b.column.rank > a.column.rank ? b : a));
  const others = filled.filter((one) => one !== least);
  if (least.column.rank > 0) return fitted(others, room, gap);
  return filled.map((one) => (one.column.title === 'name' ? cut(one, Math.max(4, one.width - excess)) : one));
}

function cut({ column, texts }: Filled, width: number): Filled {
  return { column, texts: texts.map((text) => shortened(text, width)), width };
}

/** The cells row by row. */
export function paintRows(filled: readonly Filled[], processes: readonly ProcessView[], paint: Paint): string[][] {
  return processes.map((process, row) =>
    filled.map(({ column, texts }) => paint(column.tone?.(process) ?? 'plain', texts[row] ?? '')),
  );
}
