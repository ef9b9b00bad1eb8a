// The table of `nsv list` in a pipe: aligned and complete.
import type { ProcessView } from '../../ipc/views.ts';
import { type Filled, fillColumns, paintRows } from './cells.ts';
import type { Paint } from './paint.ts';

export function renderBare(processes: readonly ProcessView[], paint: Paint): string {
  const filled = fillColumns(processes).map((one) => ({ ...one, texts: one.texts.map((text) => padTo(one, text)) }));
  const head = filled.map((one) => padTo(one, one.column.title));
  return [head, ...paintRows(filled, processes, paint)].map((cells) => cells.join('  ').trimEnd()).join('\n');
}

function padTo({ column, width }: Filled, text: string): string {
  return column.align === 'right' ? text.padStart(width) : text.padEnd(width);
}
