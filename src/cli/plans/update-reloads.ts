// The reloads after an update of the daemon.
import { isUp, namesOf } from '../../client/running.ts';
import type { DaemonParty, ProcessView } from '../../ipc/views.ts';
import { isFailure, NsvError } from '../../shared/errors.ts';
import type { Context } from '../command.ts';
import { migratedProgram } from './node-migration.ts';

/** The names of the apps whose workers can be replaced without a gap. */
export function nodeAppsAmong(processes: readonly ProcessView[]): string[] {
  return [...namesOf(processes.filter(({ mode }) => mode !== 'fork'))];
}

/**
 * Reloads one app after another, so that the machine starts one process at a time. Skips apps that are stopped or
 * deleted before their turn.
 */
export async function reloadEach(
  context: Context,
  names: readonly string[],
  parties: { before: DaemonParty; after: DaemonParty },
): Promise<{ reloaded: string[]; failures: Map<string, NsvError> }> {
  const reloaded: string[] = [];
  const failures = new Map<string, NsvError>();
  const client = await context.connect();
  for (const name of names) {
    try {
      const [app] = await client.describe({ targets: [name] });
      const program = app && migratedProgram(app.spec, parties, context);
      const processes = await client.reload({
        targets: [name],
        parallel: 1,
        runningOnly: true,
        ...(program && { program }),
      });
      if (processes.some(isUp)) reloaded.push(name);
    } catch (error) {
      if (!(error instanceof NsvError)) throw error;
      if (!isFailure(error, 'NO_SUCH_APP')) failures.set(name, error);
    }
  }
  return { reloaded, failures };
}
