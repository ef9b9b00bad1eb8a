// Aligns the columns of a small table: made to fit a terminal, complete in a pipe.
import type { Paint, Tone } from '../paint.ts';
import { cutMiddle, cutTo, padTo, widthOf } from '../width.ts';

export interface AlignedColumn<Row> {
  title: string;
  text(row: Row): string;
  tone?: (row: Row) => Tone;
  align?: 'right';
}

const gap = '  ';
/** Columns of a terminal that one column of the table takes at most, but for the last, which takes what is left. */
const mostWidth = 30;
const leastLast = 10;

/** The titles, then the rows. `room`: columns of the terminal; undefined for a pipe. */
export function aligned<Row>(
  rows: readonly Row[],
  columns: readonly AlignedColumn<Row>[],
  paint: Paint,
  room?: number,
): string[] {
  const whole = Number.POSITIVE_INFINITY;
  const widths = columns.map(({ title, text }) => {
    const longest = Math.max(...[title, ...rows.map(text)].map(widthOf));
    return Math.min(longest, room === undefined ? whole : mostWidth);
  });
  const taken = widths.slice(0, -1).reduce((sum, width) => sum + width + gap.length, 0);
  const rest = room === undefined ? whole : Math.max(leastLast, room - taken);
  const line = (textOf: (column: AlignedColumn<Row>) => string, toneOf: (column: AlignedColumn<Row>) => Tone) => {
    const cells = columns.map((column, at) => {
      const isLast = at === columns.length - 1;
      const text = isLast ? cutTo(textOf(column), rest) : cutMiddle(textOf(column), widths[at]!);
      return paint(toneOf(column), isLast && !column.align ? text : padTo(text, widths[at]!, column.align));
    });
    return cells.join(gap).trimEnd();
  };
  return [
    line(
      ({ title }) => title,
      () => 'faint',
    ),
    ...rows.map((row) =>
      line(
        ({ text }) => text(row),
        ({ tone }) => tone?.(row) ?? 'plain',
      ),
    ),
  ];
}
