// Who has standard input, and the terminal.
import { isatty } from 'node:tty';
import type { AppSpec } from '../config/app-spec.ts';
import type { Streams } from '../daemon/output/streams.ts';
import type { TerminalUse } from './signals.ts';

export interface TerminalShare {
  terminal: TerminalUse;
  /** As they are to run here. */
  apps: readonly AppSpec[];
  inputOf(spec: AppSpec, slot: number): Pick<Streams, 'stdin' | 'session'>;
}

/**
 * Milliseconds. A key such as Ctrl-C is a signal to nsv, and the end of an app that dies of it is another one: the kernel may
 * hand them to two threads at once, and the second may be heard first. Whether the app runs again depends on the key.
 */
const keyMayCome = 100;

/**
 * Input goes to the app where it is one process. That one also stays in the foreground of a terminal: in a session of
 * its own it would have none, and a shell no job control.
 */
export function shareTerminal(apps: readonly AppSpec[]): TerminalShare {
  const [first] = apps;
  const isSingle = apps.length === 1 && first?.instances === 1;
  const terminal = isatty(0) ? (isSingle ? 'shared' : 'ours') : 'none';
  return {
    terminal,
    apps: terminal === 'shared' ? apps.map(afterKeys) : apps,
    inputOf({ name }, slot) {
      if (!isSingle || name !== first.name || slot !== 0) return {};
      return terminal === 'shared' ? { stdin: 'inherit', session: 'ours' } : { stdin: 'inherit' };
    },
  };
}

function afterKeys(app: AppSpec): AppSpec {
  return { ...app, restartDelay: Math.max(app.restartDelay, keyMayCome) };
}
