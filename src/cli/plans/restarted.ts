// Reports apps that a reload cannot replace without a gap.
import type { Client } from '../../ipc/protocol.ts';
import type { ProcessView } from '../../ipc/views.ts';
import type { Output } from '../command.ts';

/**
 * Notes which of these apps share no socket with their next process, so that a reload stops the old one first. Ignores
 * apps that were deleted in the meantime.
 */
export async function tellRestarted(out: Output, client: Client, processes: readonly ProcessView[]): Promise<void> {
  const others = new Set(processes.filter(({ mode }) => mode === 'fork').map(({ name }) => name));
  if (others.size === 0) return;
  const specs = (await client.describe({ targets: [] })).map(({ spec }) => spec);
  const alone = specs.filter(({ name, listen }) => others.has(name) && listen.length === 0).map(({ name }) => name);
  if (alone.length > 0)
    out.note(`nsv: restarted with a gap, because they do not share their sockets: ${alone.join(', ')}`);
}
