// The table of `nsv list` on a terminal: framed, and made to fit. The library is loaded only then.
import type { Paint } from '../paint.ts';
import { fillColumns, fitted, paintRows, titlesOf } from './cells.ts';
import type { Column, Row } from './columns.ts';

export async function renderFramed(
  processes: readonly Row[],
  width: number,
  paint: Paint,
  columns?: readonly Column[],
): Promise<string> {
  const { default: Table } = await import('cli-table3');
  // Each column has two blanks and a line on its left; one more line ends the row.
  const filled = fitted(fillColumns(processes, columns, true), width - 1, 3);
  const table = new Table({
    head: titlesOf(filled).map((title) => paint('key', title)),
    // No lines between the rows: a hundred processes should fit a screen.
    style: { head: [], border: [], compact: true },
  });
  table.push(...paintRows(filled, processes, paint));
  return String(table);
}
