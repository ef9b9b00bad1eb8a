// Who has standard input, and the terminal.
import { isatty } from 'node:tty';
import type { AppSpec } from '../config/app-spec.ts';
import type { Streams } from '../daemon/output/streams.ts';
import type { TerminalUse } from './signals.ts';

export interface Seat {
  terminal: TerminalUse;
  inputOf(spec: AppSpec, slot: number): Pick<Streams, 'stdin' | 'session'>;
}

/**
 * Input goes to the app where it is one process. That one also stays in the foreground of a terminal: in a session of
 * its own it would have none, and a shell no job control.
 */
export function takeSeat(apps: readonly AppSpec[]): Seat {
  const [first] = apps;
  const isSingle = apps.length === 1 && first?.instances === 1;
  const terminal = isatty(0) ? (isSingle ? 'shared' : 'ours') : 'none';
  return {
    terminal,
    inputOf({ name }, slot) {
      if (!isSingle || name !== first.name || slot !== 0) return {};
      return terminal === 'shared' ? { stdin: 'inherit', session: 'ours' } : { stdin: 'inherit' };
    },
  };
}
