// `nsv monit`. The command line loads this program into its own process, so that no other command pays for it.
import { loadPaint } from '../cli/render/paint.ts';
import type { Connection } from '../ipc/client.ts';
import { realClock } from '../shared/clock.ts';
import { ScreenConnection } from './link.ts';
import type { Logs } from './logs.ts';
import { Watch } from './watch.ts';

export interface MonitRequest {
  targets: string[];
  /** Connects to the daemon, again when it has gone. */
  open(): Promise<Connection>;
  colour: boolean;
  logs: Logs;
}

/** Resolves when the user has seen enough. Rejects as `open`, and with NO_SUCH_APP, before the terminal is touched. */
export async function showMonitor({ targets, open, colour, logs }: MonitRequest): Promise<void> {
  const link = new ScreenConnection(open);
  const processes = await link.listExactly(targets);
  const paint = await loadPaint(colour);
  await new Watch({ link, targets, paint, clock: realClock, logs }).run(process, processes);
}
