// The columns of a table with their texts, made to fit a terminal.
import type { Paint, Tone } from '../paint.ts';
import { padTo, widthOf } from '../width.ts';

export interface CellColumn<Row> {
  title: string;
  /** Columns with a higher rank are dropped first; one without a rank is never dropped. */
  rank?: number;
  text(row: Row): string;
  tone?: (row: Row) => Tone;
  align?: 'right';
  /** The text on a terminal that is wide enough for it. */
  more?: (row: Row) => string | undefined;
  /** Columns of the terminal that a text keeps in any case, if it may be narrowed. Default: 20. */
  comfort?: (texts: readonly string[]) => number;
  /** How a text may be narrowed; without it none is. */
  cut?: (text: string, width: number) => string;
}

export interface Filled<Row> {
  column: CellColumn<Row>;
  texts: string[];
  width: number;
}

/** Columns of the terminal that a text keeps, unless its column has another number, as long as there is a column that may go. */
const comfort = 20;

export function fillColumns<Row>(
  rows: readonly Row[],
  columns: readonly CellColumn<Row>[],
  isFramed = false,
): readonly Filled<Row>[] {
  return columns.map((column) => {
    const texts = rows.map((row) => (isFramed && column.more?.(row)) || column.text(row));
    return { column, texts, width: Math.max(...[column.title, ...texts].map(widthOf)) };
  });
}

/**
 * Makes all fit into `room`, each with `gap` beside it: long texts are cut, then the least important columns are left out, then
 * texts are cut further. What is left over goes to the texts that were cut.
 */
export function fitted<Row>(filled: readonly Filled<Row>[], room: number, gap: number): readonly Filled<Row>[] {
  let kept = filled;
  while (spareOf(kept, room, gap) < 0) {
    const least = kept.reduce((a, b) => (rankOf(b) > rankOf(a) ? b : a));
    if (rankOf(least) === 0 || kept.length === 1) break;
    kept = kept.filter((one) => one !== least);
  }
  let spare = spareOf(kept, room, gap);
  return kept.map((one) => {
    if (!one.column.cut) return one;
    const width = Math.max(widthOf(one.column.title), Math.min(one.width, comfortable(one) + spare));
    spare -= width - comfortable(one);
    return narrowed(one, width, one.column.cut);
  });
}

function spareOf(filled: readonly Filled<never>[], room: number, gap: number): number {
  return room - filled.reduce((sum, one) => sum + comfortable(one) + gap, 0);
}

function comfortable({ column, texts, width }: Filled<never>): number {
  return column.cut ? Math.min(width, column.comfort?.(texts) ?? comfort) : width;
}

function rankOf({ column }: Filled<never>): number {
  return column.rank ?? 0;
}

/** With texts of at most `most` columns of the terminal. */
export function narrowed<Row>(
  one: Filled<Row>,
  most: number,
  cut: (text: string, width: number) => string,
): Filled<Row> {
  return one.width <= most ? one : { ...one, texts: one.texts.map((text) => cut(text, most)), width: most };
}

/** The names of the columns, as wide as these are. */
export function titlesOf(filled: readonly Filled<never>[]): string[] {
  return filled.map(({ column, width }) => padTo(column.title, width, column.align));
}

/** The cells row by row, as wide as their columns. */
export function paintRows<Row>(filled: readonly Filled<Row>[], rows: readonly Row[], paint: Paint): string[][] {
  return rows.map((each, row) =>
    filled.map(({ column, texts, width }) => {
      const text = texts[row] ?? '';
      const blanks = ' '.repeat(Math.max(0, width - widthOf(text)));
      const painted = paint(column.tone?.(each) ?? 'plain', text);
      return column.align === 'right' ? blanks + painted : painted + blanks;
    }),
  );
}

/** The rows of a table without frames. */
export function withoutFrames(rows: readonly string[][]): string {
  return rows.map((cells) => cells.join('  ').trimEnd()).join('\n');
}
