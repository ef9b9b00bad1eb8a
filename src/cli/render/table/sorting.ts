// The order of `nsv list --sort`.
import type { ProcessView } from '../../../ipc/views.ts';
import { failure } from '../../../shared/errors.ts';
import { columns } from './columns.ts';

/**
 * Sorts by the column that `wish` names: `memory`, or `memory:desc` for the largest first. Processes with the same value stay
 * in their order, and those without a value come last. Throws BAD_OPTION.
 */
export function sorted(processes: readonly ProcessView[], wish: string): ProcessView[] {
  const [title = '', order = 'asc', ...more] = wish.trim().toLowerCase().split(':');
  const titles = columns.map((column) => column.title);
  if (!titles.includes(title) || !['asc', 'desc'].includes(order) || more.length > 0) {
    const problem = `--sort must be a column, optionally with an order, such as "memory:desc", not ${JSON.stringify(wish)}`;
    throw failure('BAD_OPTION', { problems: [`${problem}; the columns are ${titles.join(', ')}`] });
  }
  const valueIn = (process: ProcessView) => process[title as keyof ProcessView];
  const sign = order === 'desc' ? -1 : 1;
  return [...processes].sort((one, other) => {
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
