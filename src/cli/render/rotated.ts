// What `nsv logs rotate` has done.
import type { RotatedView } from '../../ipc/views.ts';
import { renderSize } from '../../shared/units.ts';
import { printable } from './text.ts';

/** A line for each file. */
export function renderRotated(rotated: readonly RotatedView[]): string {
  if (rotated.length === 0) return 'there was nothing to rotate';
  return rotated
    .map(({ file, to, bytes }) => `${printable(file)} (${renderSize(bytes)}) to ${printable(to ?? '')}`)
    .join('\n');
}
