// The table of `nsv list` on a terminal: framed, and made to fit. The library is loaded only then.
import type { ProcessView } from '../../ipc/views.ts';
import { type Filled, fillColumns, paintRows } from './filled.ts';
import type { Paint } from './paint.ts';
import { shortened } from './text.ts';

export async function renderFramed(processes: readonly ProcessView[], width: number, paint: Paint): Promise<string> {
  const { default: Table } = await import('cli-table3');
  const filled = fitted(fillColumns(processes), width);
  const table = new Table({
    head: filled.map(({ column }) => paint('key', column.title)),
    colAligns: filled.map(({ column }) => column.align ?? 'left'),
    // No lines between the rows: a hundred processes should fit a screen.
    style: { head: [], border: [], compact: true },
  });
  table.push(...paintRows(filled, processes, paint));
  return String(table);
}

/** Leaves out the least important columns, then cuts the names, until the table fits. */
function fitted(filled: Filled[], width: number): Filled[] {
  const excess = framedWidth(filled) - width;
  if (excess <= 0) return filled;
  const least = filled.reduce((a, b) => (b.column.rank > a.column.rank ? b : a));
  if (least.column.rank > 0)
    return fitted(
      filled.filter((one) => one !== least),
      width,
    );
  return filled.map((one) => (one.column.title === 'name' ? cut(one, Math.max(4, one.width - excess)) : one));
}

function cut({ column, texts }: Filled, width: number): Filled {
  return { column, texts: texts.map((text) => shortened(text, width)), width };
}

/** Each column has two blanks and a line on its left; one more line ends the row. */
function framedWidth(filled: readonly Filled[]): number {
  return filled.reduce((sum, { width }) => sum + width + 3, 1);
}
