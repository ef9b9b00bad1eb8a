// How a failure reads in the terminal, and as JSON.
import type { NsvError } from '../../shared/errors.ts';
import { printable } from './text.ts';

/** `nsv: cannot ...`, the hint below it, and before both the last lines that the app printed. */
export function renderFailure({ message, hint, output = [] }: NsvError): string {
  const printed = output.map((line) => `  | ${printable(line)}`);
  return [...printed, `nsv: ${printable(message)}`, `     ${printable(hint)}`].join('\n');
}

export function renderFailureJson(error: NsvError): string {
  return JSON.stringify({ error: error.toJSON() });
}
