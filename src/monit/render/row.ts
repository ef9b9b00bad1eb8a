// One row of the screen. Everything that is shown goes through here, so nothing can steer the terminal or leave its row.
import type { Paint, Tone } from '../../cli/render/paint.ts';
import { printable } from '../../cli/render/text.ts';
import { cutTo, widthOf } from './width.ts';

export type Part = readonly [tone: Tone, text: string];

/** What has no width but changes that, or the order, of what stands beside it: terminals disagree about it. */
const unruly = /[\p{Cf}\p{Cs}\p{Zl}\p{Zp}]|\p{Variation_Selector}/gu;

/** At most `columns` columns. */
export function renderRow(parts: readonly Part[], columns: number, paint: Paint): string {
  let left = columns;
  let row = '';
  for (const [tone, text] of parts) {
    const cut = cutTo(harmless(text), left);
    if (cut !== '') row += paint(tone, cut);
    left -= widthOf(cut);
  }
  return row;
}

/** The name of a part of the screen, and a line to its right end. */
export function renderRule(parts: readonly Part[], columns: number, paint: Paint): string {
  const used = parts.reduce((sum, [, text]) => sum + widthOf(harmless(text)), 0);
  const line = '─'.repeat(Math.max(0, columns - used - 4));
  return renderRow([['faint', '── '], ...parts, ['faint', ` ${line}`]], columns, paint);
}

export function harmless(text: string): string {
  return printable(text.replace(unruly, ''));
}
