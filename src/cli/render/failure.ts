// How a failure reads in the terminal, and as JSON.
import type { NsvError } from '../../shared/errors.ts';
import { printable } from './text.ts';

/** `nsv: cannot ...`, details and the hint below it, and before all the last lines that the app printed. */
export function renderFailure({ message, hint, output = [], details = [] }: NsvError): string {
  const printed = output.map((line) => `  | ${printable(line)}`);
  const below = details.map((line) => `  ${printable(line)}`);
  return [...printed, `nsv: ${printable(message)}`, ...below, `     ${printable(hint)}`].join('\n');
}

export function renderFailureJson(error: NsvError): string {
  return JSON.stringify({ error: error.toJSON() });
}
