// Renders an error for the terminal, or as JSON.
import type { NsvError } from '../../shared/errors.ts';
import { loadPaint } from './paint.ts';
import type { Terminal } from './terminal.ts';
import { printable, toJson } from './text.ts';
import { hanging } from './width.ts';

const file: Terminal = { tty: false, columns: 80, colour: false };

/**
 * `nsv: ...` with the message, then the last output of the app, details and the hint. On a terminal, long lines are broken between
 * words and hang under the first one.
 */
export async function renderFailure(
  { message, hint, output = [], details = [] }: NsvError,
  { tty, columns, colour }: Terminal = file,
): Promise<string> {
  const paint = await loadPaint(colour);
  const broken = (text: string, indent: string) => (tty ? hanging(text, indent, columns) : text);
  const printed = output.map((line) => `  ${paint('faint', '|')} ${printable(line)}`);
  const below = details.map((line) => broken(`  ${printable(line)}`, '    '));
  const inset = (text: string) => broken(`     ${printable(text)}`, '     ');
  const head = `${paint('bad', 'nsv:')}${inset(message).slice('nsv:'.length)}`;
  return [head, ...printed, ...below, inset(hint)].join('\n');
}

export function renderFailureJson(error: NsvError): string {
  return toJson({ error: error.toJSON() });
}
