// Runs the user's --on-giveup command.
import { sharedEnvironmentOf } from '../../config/environment.ts';
import type { EventBus } from '../events.ts';
import { runShell } from '../launch/shell.ts';

export interface ShellRun {
  command: string;
  cwd: string;
  env: Record<string, string>;
}

/** In characters: Linux allows variables of up to 128 KiB, and a character takes at most three bytes. */
const longestText = 8 * 1024;

/** `failed` is called for a command that cannot be run or fails. The returned function resolves when none runs. */
export function runGiveupCommands(events: EventBus, failed: (facts: object) => void): () => Promise<unknown> {
  const running = new Set<Promise<void>>();
  onGiveup(events, (shell) => {
    const { command, cwd } = shell;
    const run = runShell(shell, (detail) => failed({ command, cwd, detail }));
    running.add(run);
    void run.then(() => running.delete(run)); // `run` never rejects
  });
  return () => Promise.all(running);
}

/**
 * The command gets the app's environment; NSV_APP, NSV_ID, NSV_INSTANCE, NSV_MAX_RESTARTS, NSV_REASON and
 * NSV_LAST_ERROR say what happened.
 */
export function onGiveup(events: EventBus, run: (shell: ShellRun) => void): void {
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
    run({ command: event.spec.onGiveup, cwd: spec.cwd, env: { ...sharedEnvironmentOf(spec), ...facts } });
  });
}

/** Programs may print NULs, but a variable cannot hold one. */
function variableOf(text: string): string {
  return text.replaceAll('\0', '').slice(-longestText);
}
