// `nsv monit`. The command line loads this program into its own process, so that no other command pays for it.
import type { MonitRequest } from '../cli/commands/monit.ts';
import { loadPaint } from '../cli/render/paint.ts';
import { realClock } from '../shared/clock.ts';
import { Link } from './link.ts';
import { Watch } from './watch.ts';

/** Resolves when the user has seen enough. Rejects as `open`, and with NO_SUCH_APP, before the terminal is touched. */
export async function monit({ targets, open, colour }: MonitRequest): Promise<void> {
  const link = new Link(open);
  const processes = await link.listExactly(targets);
  const paint = await loadPaint(colour);
  await new Watch({ link, targets, paint, clock: realClock }).run(process, processes);
}
