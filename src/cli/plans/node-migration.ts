// The Node that an app is to run on after an update: with the daemon it moves on to another one.
import { realpathSync } from 'node:fs';
import type { AppSpec, ProgramSpec } from '../../config/app-spec.ts';
import type { DaemonParty } from '../../ipc/views.ts';
import { findProgram, type SearchPlace } from '../../os/programs.ts';

/**
 * What is to be run from now on; undefined for what has a Node of its own, or one that has another version under the same
 * name by now.
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

/** As a process says of itself what it executes; a path that is no more is what it was. */
function realPathOf(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}
