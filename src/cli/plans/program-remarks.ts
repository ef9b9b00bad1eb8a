// Says what is run in place of what was typed, and which apps do not share a port.
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

/** Undefined if the processes of the app share the ports on which they listen, or there is only one. */
export function unsharedText({ name, node, listen, instances }: AppSpec): string | undefined {
  if (node || listen.length > 0 || instances < 2) return undefined;
  return `the ${instances} processes of "${name}" do not share a port, because nsv does not run Node there: give each its own (increment_var in a config file), or use --listen`;
}
