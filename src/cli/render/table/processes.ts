// The table of `nsv list`, as the terminal wants it.
import { loadPaint, type Paint } from '../paint.ts';
import type { Terminal } from '../terminal.ts';
import { fillColumns, fitted, paintRows, titlesOf, withoutFrames } from './cells.ts';
import { type Column, defaultColumns, type ProcessRow } from './columns.ts';

export async function renderProcesses(
  processes: readonly ProcessRow[],
  terminal: Terminal,
  columns: readonly Column[] = defaultColumns,
): Promise<string> {
  const paint = await loadPaint(terminal.colour);
  if (terminal.tty && !terminal.isPlain) return renderFramed(processes, terminal.columns, paint, columns);
  const filled = fillColumns(processes, columns);
  return withoutFrames([titlesOf(filled), ...paintRows(filled, processes, paint)]);
}

/** The library is loaded only for a terminal. */
async function renderFramed(
  processes: readonly ProcessRow[],
  width: number,
  paint: Paint,
  columns: readonly Column[],
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
