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
    .map(({ file, to, bytes, dropped }) => {
      const more = dropped === undefined ? '' : `, ${droppedText(dropped)}`;
      return `${printable(file)} (${renderSize(bytes)}) to ${printable(to ?? '')}${more}`;
    })
    .join('\n');
}

export function droppedText(bytes: number): string {
  return `without its first ${renderSize(bytes)}, to stay within the limits`;
}
