// What each signal that `nsv run` gets means. Pure, but for `listenToSignals`.
import { constants } from 'node:os';
import { type Rewriting, unheard } from '../config/options/run-fields.ts';

/**
 * `none`: standard input is no terminal. `shared`: the app is in the foreground of our terminal, which sends its signals
 * to the app itself. `ours`: a terminal, but the apps have sessions of their own.
 */
export type TerminalUse = 'none' | 'shared' | 'ours';

export type Meaning =
  /** Stop everything; `ask` instead of each app's own stop signal. */
  | { kind: 'stop'; ask?: NodeJS.Signals }
  | { kind: 'reload' }
  | { kind: 'forward'; signal: NodeJS.Signals }
  /** The app has it from the keyboard already, and may end of it. */
  | { kind: 'heard' }
  | { kind: 'ignore' };

/** Stop all that is in the foreground, nsv too, or the shell that started it would wait in vain. */
const jobControl = ['SIGTSTP', 'SIGTTIN', 'SIGTTOU'];
const fromTerminal = ['SIGWINCH', 'SIGCONT'];
const fromKeyboard = ['SIGINT', 'SIGQUIT'];
const stops = ['SIGTERM', 'SIGINT'];

/** Every signal to be listened to, one name for each number (SIGIOT is SIGABRT, SIGPOLL is SIGIO). */
export function signalsToHear(terminal: TerminalUse): NodeJS.Signals[] {
  const left = new Set<string>([...unheard, ...(terminal === 'shared' ? jobControl : [])]);
  const byNumber = new Map<number, NodeJS.Signals>();
  for (const [name, number] of Object.entries(constants.signals) as [NodeJS.Signals, number][]) {
    if (!left.has(name) && !byNumber.has(number)) byNumber.set(number, name);
  }
  return [...byNumber.values()];
}

export function meaningOf(signal: NodeJS.Signals, rewrite: readonly Rewriting[], terminal: TerminalUse): Meaning {
  const rewriting = rewrite.find(({ from }) => constants.signals[from] === constants.signals[signal]);
  if (rewriting) return rewritten(rewriting);
  if (terminal === 'shared' && fromKeyboard.includes(signal)) return { kind: 'heard' };
  if (terminal === 'shared' && fromTerminal.includes(signal)) return { kind: 'ignore' };
  if (stops.includes(signal)) return { kind: 'stop' };
  // Of a terminal it says that the terminal is gone.
  if (signal === 'SIGHUP') return { kind: terminal === 'none' ? 'reload' : 'stop' };
  return { kind: 'forward', signal };
}

function rewritten({ from, to }: Rewriting): Meaning {
  if (to === null) return { kind: 'ignore' };
  if (stops.includes(from) || stops.includes(to)) return { kind: 'stop', ask: to };
  return { kind: 'forward', signal: to };
}

/** A listener for SIGUSR1 also keeps Node's debugger from opening. */
export function listenToSignals(names: readonly NodeJS.Signals[], hear: (signal: NodeJS.Signals) => void): void {
  // That of the command line, which ends at once.
  process.removeAllListeners('SIGINT');
  for (const name of names) process.on(name, () => hear(name));
}
