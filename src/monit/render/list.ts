// The list of processes with the columns of `nsv list`; a long list is scrolled to the selected process.
import type { Paint, Tone } from '../../cli/render/paint.ts';
import { type Filled, fillColumns, fitted, titlesOf } from '../../cli/render/table/cells.ts';
import { defaultColumns } from '../../cli/render/table/columns.ts';
import { padTo } from '../../cli/render/width.ts';
import type { ProcessView } from '../../ipc/views.ts';
import type { Model } from '../model.ts';
import { renderRow, type TextPart } from './row.ts';

const gap = '  ';
const marker = '> ';

/** Minimum widths, so that changing numbers do not shift the columns. */
const least: Record<string, number> = { status: 8, cpu: 4, memory: 8 };

/** The column titles and the list. */
export function renderList(model: Model, head: number, rows: number, paint: Paint): string[] {
  const { processes, size, selected } = model;
  const filled = fitted(fillColumns(processes, defaultColumns).map(roomy), size.columns, gap.length);
  const from = firstRow(processes, selected, rows);
  const shown = processes.slice(from, from + rows);
  const list = shown.map((process, index) => {
    const isSelected = process.id === selected;
    const row = cellsOf(filled, process, from + index, isSelected ? 'chosen' : undefined);
    return renderRow([[isSelected ? 'chosen' : 'plain', isSelected ? marker : gap], ...row], size.columns, paint);
  });
  if (processes.length === 0) list.push(renderRow([['faint', `${gap}no processes`]], size.columns, paint));
  const titles = renderRow([['key', gap + titlesOf(filled).join(gap)]], size.columns, paint);
  return [...[titles].slice(0, head), ...list];
}

/** Centres the selected process if possible. */
function firstRow(processes: readonly ProcessView[], selected: number | undefined, rows: number): number {
  const at = processes.findIndex(({ id }) => id === selected);
  return Math.max(0, Math.min(at - Math.floor(rows / 2), processes.length - rows));
}

function roomy(one: Filled<ProcessView>): Filled<ProcessView> {
  const { title } = one.column;
  return { ...one, width: Math.max(least[title] ?? 0, one.width) };
}

function cellsOf(
  filled: readonly Filled<ProcessView>[],
  process: ProcessView,
  row: number,
  all: Tone | undefined,
): TextPart[] {
  return filled.flatMap(({ column, texts, width }): TextPart[] => [
    [all ?? column.tone?.(process) ?? 'plain', padTo(texts[row] ?? '', width, column.align)],
    [all ?? 'plain', gap],
  ]);
}
