// Runs the user's --on-giveup command.
import { hookOf, hookProblem } from '../apps/hooks.ts';
import type { EventBus } from '../events.ts';
import type { Hook, HookEnd } from '../launch/hook.ts';
import type { ReportProblem } from '../problems.ts';

/** In characters: Linux allows variables of up to 128 KiB, and a character takes at most three bytes. */
const longestText = 8 * 1024;

/**
 * The command gets the app's environment; NSV_APP, NSV_ID, NSV_INSTANCE, NSV_MAX_RESTARTS, NSV_REASON and NSV_LAST_ERROR say what
 * happened. The returned function resolves when none runs.
 */
export function runGiveupCommands(
  events: EventBus,
  run: (hook: Hook) => Promise<HookEnd>,
  report: ReportProblem,
): () => Promise<unknown> {
  const running = new Set<Promise<void>>();
  events.subscribe((event) => {
    if (event.type !== 'giveup' || event.spec.onGiveup === undefined) return;
    const { spec } = event;
    const hook = hookOf(spec, event.spec.onGiveup);
    Object.assign(hook.env, {
      NSV_ID: String(event.id),
      NSV_INSTANCE: String(event.slot),
      NSV_MAX_RESTARTS: String(spec.maxRestarts),
      NSV_REASON: variableOf(event.reason),
      NSV_LAST_ERROR: variableOf(event.lastError),
    });
    const done = run(hook).then(({ problem }) => report(spec.name, 'on-giveup', hookProblem(hook.command, problem)));
    running.add(done);
    void done.then(() => running.delete(done)); // `run` never rejects
  });
  return () => Promise.all(running);
}

/** Programs may print NULs, but a variable cannot hold one. */
function variableOf(text: string): string {
  return text.replaceAll('\0', '').slice(-longestText);
}
