// Prints the result of a command: as JSON on request, else as text.
import type { Output } from './command.ts';
import { loadPaint, type Paint } from './render/paint.ts';
import type { Column, ProcessRow } from './render/table/columns.ts';
import { renderProcesses } from './render/table/processes.ts';
import { toJson } from './render/text.ts';

export function printJson(out: Output, value: unknown): void {
  out.write(toJson(value, 2));
}

export async function printProcesses(out: Output, processes: ProcessRow[], columns?: readonly Column[]): Promise<void> {
  if (out.json) return printJson(out, processes);
  const shown = out.dialect === 'pm2' ? processes.map(({ silent: _, finished: __, ...process }) => process) : processes;
  out.write(await renderProcesses(shown, out.terminal, columns));
}

/** `text` for people, `value` for `--json`. */
export function printEither(out: Output, value: unknown, text: () => string): void {
  if (out.json) printJson(out, value);
  else out.write(text());
}

/** Like `printEither`, with colours for people. */
export async function printPainted(out: Output, value: unknown, text: (paint: Paint) => string): Promise<void> {
  if (out.json) printJson(out, value);
  else out.write(text(await loadPaint(out.terminal.colour)));
}

/** One per line; prints nothing for an empty list. */
export function printValues(out: Output, values: number[]): void {
  if (out.json) printJson(out, values);
  else if (values.length > 0) out.write(values.join('\n'));
}
