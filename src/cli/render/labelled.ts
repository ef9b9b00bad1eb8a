// Lines with a label each, as in `nsv show`.
import type { Paint } from './paint.ts';
import { printable } from './text.ts';

export type LabelledLine = readonly [label: string, text: string];

/** The lines that have a text, indented, with their texts below each other. */
export function renderLabelled(lines: readonly LabelledLine[], paint: Paint): string[] {
  const filled = lines.filter(([, text]) => text !== '');
  const width = Math.max(0, ...filled.map(([label]) => label.length));
  return filled.map(([label, text]) => `  ${paint('faint', label.padEnd(width))}  ${printable(text)}`);
}
