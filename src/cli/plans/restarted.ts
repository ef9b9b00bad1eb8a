// What a reload could not do without a gap.
import type { Client } from '../../ipc/protocol.ts';
import type { ProcessView } from '../../ipc/views.ts';
import type { Output } from '../command.ts';

/**
 * Says which of these apps share no socket with their next process, so that a reload stops them first. Of those that are still
 * there: one that was deleted meanwhile is no failure.
 */
export async function tellRestarted(out: Output, client: Client, processes: readonly ProcessView[]): Promise<void> {
  const others = new Set(processes.filter(({ mode }) => mode === 'fork').map(({ name }) => name));
  if (others.size === 0) return;
  const specs = (await client.describe({ targets: [] })).map(({ spec }) => spec);
  const alone = specs.filter(({ name, listen }) => others.has(name) && listen.length === 0).map(({ name }) => name);
  if (alone.length > 0)
    out.note(`nsv: restarted with a gap, because they do not share their sockets: ${alone.join(', ')}`);
}
