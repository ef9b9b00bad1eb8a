// Decides which app gets standard input and the terminal.
import { isatty } from 'node:tty';
import type { AppSpec } from '../config/app-spec.ts';
import type { Streams } from '../daemon/output/streams.ts';
import type { TerminalUse } from './signals.ts';

export interface TerminalShare {
  terminal: TerminalUse;
  /** The apps as they should run here. */
  apps: readonly AppSpec[];
  inputOf(spec: AppSpec, slot: number): Pick<Streams, 'stdin' | 'session'>;
}

/**
 * Milliseconds to wait before a restart. Ctrl-C sends one signal to nsv, and the app that dies from it causes another
 * (SIGCHLD): the kernel may deliver them to two threads at once, so nsv may see the exit first. Whether the app is
 * restarted depends on the key.
 */
const keyMayCome = 100;

/**
 * A single app with one process gets the standard input. It also stays in the foreground of the terminal: in a session
 * of its own it would have no terminal, and a shell no job control.
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
