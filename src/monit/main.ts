// `nsv monit`. The command line loads this file into its own process only for this command.
import { loadPaint } from '../cli/render/paint.ts';
import type { Connection } from '../ipc/client.ts';
import { realClock } from '../shared/clock.ts';
import { ScreenConnection } from './link.ts';
import { type Logs, Watch } from './watch.ts';

export interface MonitRequest {
  targets: string[];
  /** Connects to the daemon; called again after it has gone. */
  open(): Promise<Connection>;
  colour: boolean;
  logs: Logs;
}

/** Resolves when the user quits. Rejects like `open`, and with NO_SUCH_APP, before it changes the terminal. */
export async function showMonitor({ targets, open, colour, logs }: MonitRequest): Promise<void> {
  const link = new ScreenConnection(open);
  const processes = await link.listExactly(targets);
  const paint = await loadPaint(colour);
  await new Watch({ link, targets, paint, clock: realClock, logs }).run(process, processes);
}
