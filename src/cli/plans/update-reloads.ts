// The reloads after an update of the daemon: apps that use the Node of the daemon move with it.
import { isRunning, namesOf } from '../../client/running.ts';
import type { AppSpec, ProgramSpec } from '../../config/app-spec.ts';
import type { DaemonParty, ProcessView } from '../../ipc/views.ts';
import { findProgram, hasLostNode, realPathOf, type SearchPlace } from '../../os/programs.ts';
import { isFailure, NsvError } from '../../shared/errors.ts';
import type { Context } from '../command.ts';

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
        only: 'running',
        ...(program && { program }),
      });
      if (processes.some(isRunning)) reloaded.push(name);
    } catch (error) {
      if (!(error instanceof NsvError)) throw error;
      if (!isFailure(error, 'NO_SUCH_APP')) failures.set(name, error);
    }
  }
  return { reloaded, failures };
}

/**
 * The new program of an app; undefined if it has its own Node, or the path of its Node already leads to another
 * version. One whose Node is gone has none of its own.
 */
export function migratedProgram(
  spec: AppSpec,
  { before, after }: { before: DaemonParty; after: DaemonParty },
  at: SearchPlace,
): ProgramSpec | undefined {
  const { script, cwd, interpreter, interpreterArgs, node } = spec;
  if (interpreter === undefined) return undefined;
  const isOfDaemon = before.program !== after.program && realPathOf(interpreter) === before.program;
  if (!isOfDaemon && !hasLostNode(spec)) return undefined;
  return { script, cwd, interpreter: findProgram('node', at) ?? after.program, interpreterArgs, node };
}
