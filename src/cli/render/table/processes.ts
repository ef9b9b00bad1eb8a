// The table of `nsv list`, as the terminal wants it.
import { loadPaint } from '../paint.ts';
import type { Terminal } from '../terminal.ts';
import type { Column, Row } from './columns.ts';
import { renderFramed } from './framed-table.ts';
import { renderBare } from './plain-table.ts';

export async function renderProcesses(
  processes: readonly Row[],
  terminal: Terminal,
  columns?: readonly Column[],
): Promise<string> {
  const paint = await loadPaint(terminal.colour);
  if (!terminal.tty) return renderBare(processes, paint, columns);
  return renderFramed(processes, terminal.columns, paint, columns);
}
