// The columns of `nsv list` with their texts, before they become a table.
import type { ProcessView } from '../../ipc/views.ts';
import { type Column, columns } from './columns.ts';
import type { Paint } from './paint.ts';

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

/** The cells row by row. */
export function paintRows(filled: readonly Filled[], processes: readonly ProcessView[], paint: Paint): string[][] {
  return processes.map((process, row) =>
    filled.map(({ column, texts }) => paint(column.tone?.(process) ?? 'plain', texts[row] ?? '')),
  );
}
