// Runs the user's --on-giveup command.
import type { Events } from './events.ts';

export interface ShellRun {
  command: string;
  cwd: string;
  env: Record<string, string>;
}

/** The command gets the app's environment, and what happened in NSV_APP, NSV_ID, NSV_INSTANCE, NSV_MAX_RESTARTS and NSV_REASON. */
export function onGiveup(events: Events, run: (shell: ShellRun) => void): void {
  events.subscribe((event) => {
    if (event.type !== 'giveup' || event.spec.onGiveup === undefined) return;
    const { app, id, slot, reason, spec } = event;
    const facts = {
      NSV_APP: app,
      NSV_ID: String(id),
      NSV_INSTANCE: String(slot),
      NSV_MAX_RESTARTS: String(spec.maxRestarts),
      NSV_REASON: reason,
    };
    run({ command: event.spec.onGiveup, cwd: spec.cwd, env: { ...spec.env, ...facts } });
  });
}
