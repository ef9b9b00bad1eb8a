// The meaning of each signal that `nsv run` receives. Pure, but for `listenToSignals`.
import { constants } from 'node:os';
import { type Rewriting, unforwarded } from '../config/options/run-fields.ts';

/**
 * `none`: standard input is not a terminal. `shared`: the app is in the foreground of the terminal of nsv and gets the
 * signals of the terminal directly. `ours`: there is a terminal, but the apps have their own sessions.
 */
export type TerminalUse = 'none' | 'shared' | 'ours';

/** A signal replaces the stop signal of each app; `interrupt` prefers SIGINT for those that have none of their own. */
export type StopRequest = NodeJS.Signals | 'interrupt';

export type Meaning =
  /** Stop everything. */
  | { kind: 'stop'; ask?: StopRequest }
  | { kind: 'reload' }
  | { kind: 'forward'; signal: NodeJS.Signals }
  /** The app has already received it from the keyboard, and may end because of it. */
  | { kind: 'heard' }
  | { kind: 'ignore' };

/** These must stop the whole foreground job including nsv, or the shell that started it would wait for ever. */
const jobControl = ['SIGTSTP', 'SIGTTIN', 'SIGTTOU'];
const fromTerminal = ['SIGWINCH', 'SIGCONT'];
const fromKeyboard = ['SIGINT', 'SIGQUIT'];
const stops = ['SIGTERM', 'SIGINT'];

/** All signals to listen to, one name per number (SIGIOT is SIGABRT, SIGPOLL is SIGIO). */
export function signalsToHandle(terminal: TerminalUse): NodeJS.Signals[] {
  const left = new Set<string>([...unforwarded, ...(terminal === 'shared' ? jobControl : [])]);
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
  if (signal === 'SIGINT') return { kind: 'stop', ask: 'interrupt' };
  if (signal === 'SIGTERM') return { kind: 'stop' };
  // From a terminal, it means that the terminal is gone.
  if (signal === 'SIGHUP') return { kind: terminal === 'none' ? 'reload' : 'stop' };
  return { kind: 'forward', signal };
}

function rewritten({ from, to }: Rewriting): Meaning {
  if (to === null) return { kind: 'ignore' };
  if (stops.includes(from) || stops.includes(to)) return { kind: 'stop', ask: to };
  return { kind: 'forward', signal: to };
}

/** A listener for SIGUSR1 also prevents Node's debugger from opening. */
export function listenToSignals(names: readonly NodeJS.Signals[], onSignal: (signal: NodeJS.Signals) => void): void {
  // Removes the listener of the command line, which exits at once.
  process.removeAllListeners('SIGINT');
  for (const name of names) process.on(name, () => onSignal(name));
}
