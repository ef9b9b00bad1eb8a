// The order of `nsv list --sort`.
import { failure } from '../../../shared/errors.ts';
import { type Column, columns, type Row } from './columns.ts';

export interface Order {
  column: Column;
  isDescending: boolean;
}

/** The order that is asked for: `memory`, or `memory:desc` for the largest first. Throws BAD_OPTION. */
export function orderOf(wish: string): Order {
  const [title, order = 'asc', ...more] = wish.trim().toLowerCase().split(':');
  const column = columns.find((each) => each.title === title);
  if (column && ['asc', 'desc'].includes(order) && more.length === 0) return { column, isDescending: order === 'desc' };
  const problem = `--sort must be a column, optionally with an order, such as "memory:desc", not ${JSON.stringify(wish)}`;
  const titles = columns.map((each) => each.title);
  throw failure('BAD_OPTION', { problems: [`${problem}; the columns are ${titles.join(', ')}`] });
}

/** Processes with the same value stay in their order, and those without a value come last. */
export function sorted(rows: readonly Row[], { column, isDescending }: Order): Row[] {
  const valueIn = (row: Row) => row[column.title as keyof Row] ?? null;
  const sign = isDescending ? -1 : 1;
  return [...rows].sort((one, other) => {
    const [a, b] = [valueIn(one), valueIn(other)];
    if (a === null || b === null) return Number(a === null) - Number(b === null);
    return sign * compare(a, b);
  });
}

function compare(a: unknown, b: unknown): number {
  return typeof a === 'number' && typeof b === 'number'
    ? a - b
    : String(a).localeCompare(String(b), 'en', { numeric: true });
}
