// Chooses the Node of an app after an update: apps that use the Node of the daemon move with it.
import { realpathSync } from 'node:fs';
import type { AppSpec, ProgramSpec } from '../../config/app-spec.ts';
import type { DaemonParty } from '../../ipc/views.ts';
import { findProgram, type SearchPlace } from '../../os/programs.ts';

/**
 * The new program of an app; undefined if it has its own Node, or the path of its Node already leads to another
 * version.
 */
export function migratedProgram(
  { script, cwd, interpreter, interpreterArgs, node }: AppSpec,
  { before, after }: { before: DaemonParty; after: DaemonParty },
  at: SearchPlace,
): ProgramSpec | undefined {
  if (interpreter === undefined || before.program === after.program) return undefined;
  if (realPathOf(interpreter) !== before.program) return undefined;
  return { script, cwd, interpreter: findProgram('node', at) ?? after.program, interpreterArgs, node };
}

/** The path as `process.execPath` would report it; a path that no longer exists is returned unchanged. */
function realPathOf(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}
