// The user's hooks: `pre_start` runs before a command starts an app, `post_stop` once all of its processes are gone.
import type { AppSpec } from '../../config/app-spec.ts';
import { sharedEnvironmentOf } from '../../config/environment.ts';
import type { Report } from '../../ipc/protocol.ts';
import { failure } from '../../shared/errors.ts';
import type { Hook, HookEnd } from '../launch/hook.ts';
import type { Group } from './group.ts';

/** Throws HOOK_FAILED; the app is then not started. */
export async function preStart(group: Group, spec: AppSpec, abort: AbortSignal, report: Report): Promise<void> {
  const { name, preStart: command } = spec;
  if (command === undefined) return;
  report(`running pre_start of ${name}`);
  const { problem, output } = await run(group, 'pre_start', hookOf(spec, command), abort);
  abort.throwIfAborted();
  if (problem !== undefined) throw failure('HOOK_FAILED', { name, command, detail: problem }, { output });
}

/** The app is gone in any case, so a failure is a problem, not an error. */
export async function postStop(group: Group): Promise<void> {
  const { spec } = group;
  if (spec.postStop === undefined) return;
  const { problem: detail } = await run(group, 'post_stop', hookOf(spec, spec.postStop));
  group.problems.set('post_stop', hookProblem(spec.postStop, detail));
}

async function run(group: Group, name: Group['hook'], hook: Hook, abort?: AbortSignal): Promise<HookEnd> {
  group.hook = name;
  try {
    return await group.host.runHook(hook, abort);
  } finally {
    group.hook = undefined;
  }
}

/** Null if the command has succeeded. */
export function hookProblem(command: string, detail: string | undefined): string | null {
  return detail === undefined ? null : `the command "${command}" failed: ${detail}`;
}

/** The commands of an app run in its directory, with its environment and as its user. */
export function hookOf(spec: AppSpec, command: string): Hook {
  const { name, cwd, uid, gid, groups, umask, killTimeout } = spec;
  return { command, cwd, uid, gid, groups, umask, killTimeout, env: { ...sharedEnvironmentOf(spec), NSV_APP: name } };
}
