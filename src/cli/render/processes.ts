// The table of `nsv list`, as the terminal wants it.
import type { ProcessView } from '../../ipc/views.ts';
import { renderFramed } from './framed-table.ts';
import { loadPaint } from './paint.ts';
import { renderBare } from './plain-table.ts';
import type { Terminal } from './terminal.ts';

export async function renderProcesses(processes: readonly ProcessView[], terminal: Terminal): Promise<string> {
  const paint = await loadPaint(terminal.colour);
  return terminal.tty ? renderFramed(processes, terminal.columns, paint) : renderBare(processes, paint);
}
