// Renders the results of `nsv flush` and `nsv logs rotate`, one line per file.
import type { RotatedView } from '../../ipc/views.ts';
import { renderSize } from '../../shared/units.ts';
import { printable } from './text.ts';

export function renderFlushed(flushed: readonly { file: string; bytes: number }[]): string {
  if (flushed.length === 0) return 'nothing to empty';
  return flushed.map(({ file, bytes }) => `emptied ${printable(file)} (${renderSize(bytes)})`).join('\n');
}

export function renderRotated(rotated: readonly RotatedView[]): string {
  return rotated
    .map(({ file, to, bytes }) => `${printable(file)} (${renderSize(bytes)}) to ${printable(to ?? '')}`)
    .join('\n');
}
