// Renders an error for the terminal, or as JSON.
import type { NsvError } from '../../shared/errors.ts';
import { printable, toJson } from './text.ts';

/** The last output of the app, then `nsv: ...` with the message, then details and the hint. */
export function renderFailure({ message, hint, output = [], details = [] }: NsvError): string {
  const printed = output.map((line) => `  | ${printable(line)}`);
  const below = details.map((line) => `  ${printable(line)}`);
  return [...printed, `nsv: ${printable(message)}`, ...below, `     ${printable(hint)}`].join('\n');
}

export function renderFailureJson(error: NsvError): string {
  return toJson({ error: error.toJSON() });
}
