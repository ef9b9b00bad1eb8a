// The table of `nsv list` in a pipe: aligned and complete.
import type { ProcessView } from '../../../ipc/views.ts';
import type { Paint } from '../paint.ts';
import { fillColumns, paintRows, titlesOf } from './cells.ts';
import type { Column } from './columns.ts';

export function renderBare(processes: readonly ProcessView[], paint: Paint, columns?: readonly Column[]): string {
  const filled = fillColumns(processes, columns);
  return [titlesOf(filled), ...paintRows(filled, processes, paint)]
    .map((cells) => cells.join('  ').trimEnd())
    .join('\n');
}
