// What `nsv flush` has done.
import { renderSize } from '../../shared/units.ts';
import { printable } from './text.ts';

/** A line for each file. */
export function renderEmptied(emptied: readonly { file: string; bytes: number }[]): string {
  if (emptied.length === 0) return 'there was nothing to empty';
  return emptied.map(({ file, bytes }) => `emptied ${printable(file)} (${renderSize(bytes)})`).join('\n');
}
