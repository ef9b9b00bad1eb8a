// Says what is run in place of what was typed, and which apps do not share a port.
import { basename } from 'node:path';
import type { AppSpec } from '../../config/app-spec.ts';
import type { Output } from '../command.ts';
import { printable } from '../render/text.ts';

export function remarksTo(out: Output): (text: string) => void {
  return (text) => out.note(printable(`nsv: ${text}`));
}

/** Several processes of such an app can only work if each binds a port of its own, or none. */
export function tellUnshared(out: Output, app: AppSpec): void {
  const text = unsharedText(app);
  if (text !== undefined) out.note(printable(`nsv: ${text}`));
}

/** Runtimes whose users expect that the processes of an app share its port, as with Node. */
const runtimes = ['bun', 'deno'];

/** Undefined if there is nothing to say about the port of the app. */
export function unsharedText({ name, interpreter, script, listen, instances }: AppSpec): string | undefined {
  const runtime = basename(interpreter ?? script);
  if (!runtimes.includes(runtime) || listen.length > 0 || instances < 2) return undefined;
  return `the ${instances} processes of "${name}" cannot share a port, as ${runtime} is not Node: give each its own (increment_var in a config file), or use --listen`;
}
