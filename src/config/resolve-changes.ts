// Changes the settings of an app that exists.
import type { SearchPlace } from '../os/programs.ts';
import { type AppSpec, completeAppSpec, expectNodeFor, type FieldName } from './app-spec.ts';
import { expectPossible } from './machine-settings.ts';
import { findRunner } from './program/interpreter.ts';
import { type Declaration, resolveProgram, resolveSettings } from './resolve.ts';

export interface SpecChanges {
  settings: Declaration['settings'];
  /** Settings that get their default again. */
  cleared: readonly FieldName[];
  /** Another program, looked up as for a new app. */
  script?: string | undefined;
  /** Other arguments of the program. */
  args?: readonly string[] | undefined;
}

/** What is not said stays as it is. Throws like `resolveApp`. */
export function resolveChanges(spec: AppSpec, changes: SpecChanges, from: SearchPlace): AppSpec {
  const { settings, cleared, script, args } = changes;
  expectPossible(settings);
  const at = { ...from, uid: settings.uid ?? spec.uid };
  const { cwd, ...program } = resolveProgram(spec, { script, cwd: settings.cwd }, at);
  const kept = Object.entries(spec).filter(([key]) => !(cleared as string[]).includes(key));
  const changed = completeAppSpec({
    ...(Object.fromEntries(kept) as AppSpec),
    ...program,
    ...runnerOf({ ...spec, ...program }, changes, at),
    ...resolveSettings(settings, cwd),
    ...(args && { args: [...args] }),
    cwd,
  });
  return expectNodeFor(changed);
}

/** How the program is run, if that changes. */
function runnerOf(
  { script, interpreter, interpreterArgs, cwd }: AppSpec,
  { settings, cleared }: SpecChanges,
  at: SearchPlace,
) {
  const isOther = settings.interpreter !== undefined || cleared.includes('interpreter');
  const hasOtherArgs = settings.interpreterArgs !== undefined || cleared.includes('interpreterArgs');
  if (!isOther && !hasOtherArgs) return {};
  const args = settings.interpreterArgs ?? (hasOtherArgs || isOther ? [] : interpreterArgs);
  return findRunner(script, isOther ? settings.interpreter : (interpreter ?? 'none'), args, at, cwd);
}
