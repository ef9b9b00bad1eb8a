// Reports apps that a reload cannot replace without a gap.
import { isBinPath } from '../../config/program/scripts/bins.ts';
import type { Client } from '../../ipc/protocol.ts';
import type { AppView, ProcessView } from '../../ipc/views.ts';
import type { Output } from '../command.ts';

/**
 * Notes which of these apps share no socket with their next process, so that a reload stops the old one first. Ignores
 * apps that were deleted in the meantime.
 */
export async function tellRestarted(out: Output, client: Client, processes: readonly ProcessView[]): Promise<void> {
  const names = new Set(processes.map(({ name }) => name));
  if (names.size === 0) return;
  const apps = await client.describe({ targets: [] });
  const alone = apps.filter((app) => names.has(app.spec.name) && bindsByItself(app)).map(({ spec }) => spec.name);
  if (alone.length > 0)
    out.note(`nsv: restarted with a gap, because they do not share their sockets: ${alone.join(', ')}`);
}

/** A program of a package may start another process, which listens. */
function bindsByItself({ spec, sockets, processes }: AppView): boolean {
  if (!spec.node) return spec.listen.length === 0;
  return isBinPath(spec.script) && sockets.length === 0 && processes.some(({ ports }) => ports.length > 0);
}
