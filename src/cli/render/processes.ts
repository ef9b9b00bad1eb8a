// The table of `nsv list`, as the terminal wants it. What it does not need is not loaded: `nsv list` has to be quick.
import type { ProcessView } from '../../ipc/views.ts';
import { loadPaint } from './paint.ts';
import type { Terminal } from './terminal.ts';

export async function renderProcesses(processes: readonly ProcessView[], terminal: Terminal): Promise<string> {
  const paint = await loadPaint(terminal.colour);
  if (terminal.tty) return (await import('./framed.ts')).renderFramed(processes, terminal.columns, paint);
  return (await import('./bare.ts')).renderBare(processes, paint);
}
