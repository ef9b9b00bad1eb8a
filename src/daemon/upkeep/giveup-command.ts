// Runs the user's --on-giveup command.
import { sharedEnvironmentOf } from '../../config/environment.ts';
import type { EventBus } from '../events.ts';
import { type Hook, runHook } from '../launch/hook.ts';

/** In characters: Linux allows variables of up to 128 KiB, and a character takes at most three bytes. */
const longestText = 8 * 1024;

/** `failed` is called for a command that cannot be run or fails. The returned function resolves when none runs. */
export function runGiveupCommands(events: EventBus, failed: (facts: object) => void): () => Promise<unknown> {
  const running = new Set<Promise<void>>();
  onGiveup(events, (hook) => {
    const { command, cwd } = hook;
    const run = runHook(hook).then(({ problem: detail }) => {
      if (detail !== undefined) failed({ command, cwd, detail });
    });
    running.add(run);
    void run.then(() => running.delete(run)); // `run` never rejects
  });
  return () => Promise.all(running);
}

/**
 * The command runs as the user of the app, like the other hooks. It gets the app's environment; NSV_APP, NSV_ID, NSV_INSTANCE, NSV_MAX_RESTARTS, NSV_REASON and
 * NSV_LAST_ERROR say what happened.
 */
export function onGiveup(events: EventBus, run: (hook: Hook) => void): void {
  events.subscribe((event) => {
    if (event.type !== 'giveup' || event.spec.onGiveup === undefined) return;
    const { app, id, slot, reason, lastError, spec } = event;
    const facts = {
      NSV_APP: app,
      NSV_ID: String(id),
      NSV_INSTANCE: String(slot),
      NSV_MAX_RESTARTS: String(spec.maxRestarts),
      NSV_REASON: variableOf(reason),
      NSV_LAST_ERROR: variableOf(lastError),
    };
    const { cwd, uid, gid, groups, umask } = spec;
    const env = { ...sharedEnvironmentOf(spec), ...facts };
    run({ command: event.spec.onGiveup, cwd, uid, gid, groups, umask, env });
  });
}

/** Programs may print NULs, but a variable cannot hold one. */
function variableOf(text: string): string {
  return text.replaceAll('\0', '').slice(-longestText);
}
