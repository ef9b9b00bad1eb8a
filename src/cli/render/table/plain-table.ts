// The table of `nsv list` in a pipe: aligned and complete.
import type { Paint } from '../paint.ts';
import { fillColumns, paintRows, titlesOf } from './cells.ts';
import type { Column, Row } from './columns.ts';

export function renderBare(processes: readonly Row[], paint: Paint, columns?: readonly Column[]): string {
  const filled = fillColumns(processes, columns);
  return [titlesOf(filled), ...paintRows(filled, processes, paint)]
    .map((cells) => cells.join('  ').trimEnd())
    .join('\n');
}
