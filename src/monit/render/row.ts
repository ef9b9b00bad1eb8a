// One row of the screen. All output goes through here, so that no text can control the terminal or overflow its row.
import type { Paint, Tone } from '../../cli/render/paint.ts';
import { harmless } from '../../cli/render/text.ts';
import { cutTo, widthOf } from '../../cli/render/width.ts';

export type TextPart = readonly [tone: Tone, text: string];

/** At most `columns` columns. */
export function renderRow(parts: readonly TextPart[], columns: number, paint: Paint): string {
  let left = columns;
  let row = '';
  for (const [tone, text] of parts) {
    const cut = cutTo(harmless(text), left);
    if (cut !== '') row += paint(tone, cut);
    left -= widthOf(cut);
  }
  return row;
}

/** The title of a part of the screen, followed by a line to the right edge. */
export function renderRule(parts: readonly TextPart[], columns: number, paint: Paint): string {
  const used = parts.reduce((sum, [, text]) => sum + widthOf(harmless(text)), 0);
  const line = '─'.repeat(Math.max(0, columns - used - 4));
  return renderRow([['faint', '── '], ...parts, ['faint', ` ${line}`]], columns, paint);
}
