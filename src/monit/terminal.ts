// Takes over the terminal for a full-screen view, and restores it however nsv ends. No other file changes the terminal.
import { emitKeypressEvents } from 'node:readline';
import { keyName } from './keys.ts';
import type { Size } from './model.ts';

export interface TerminalListener {
  pressed(key: string): void;
  /** The size has changed, or the content is unknown, for example after a suspension. */
  resized(): void;
  /** The terminal is gone. */
  gone(): void;
}

export type RawTerminal = ReturnType<typeof takeTerminal>;

/** Switches to the alternate screen, which keeps the current content; hides the cursor; turns wrapping off. */
const takeOver = '\x1b[?1049h\x1b[?25l\x1b[?7l';
const undo = '\x1b[?7h\x1b[?25h\x1b[?1049l';

/** Signals that end nsv: after the terminal is restored, they are sent again with their default effect. */
const deadly = ['SIGTERM', 'SIGHUP', 'SIGQUIT'] as const;

export function takeTerminal({ stdin, stdout }: NodeJS.Process, use: TerminalListener) {
  let isTaken = false;

  function take(): void {
    // Node skips setting a mode that it believes to be set, but the shell may have changed it during a suspension.
    stdin.setRawMode(false).setRawMode(true);
    stdout.write(takeOver);
    isTaken = true;
  }

  function giveBack(): void {
    if (!isTaken) return;
    isTaken = false;
    stdout.write(undo);
    stdin.setRawMode(false);
  }

  function end(signal: NodeJS.Signals): void {
    giveBack();
    process.kill(process.pid, signal);
  }

  /** Handles Ctrl-Z: restores the terminal and stops the process until the shell continues it. */
  function suspend(): void {
    giveBack();
    process.off('SIGTSTP', suspend);
    // Stops the whole job, as the terminal would. In an orphaned process group the kernel ignores the signal.
    process.kill(0, 'SIGTSTP');
    resume();
  }

  function resume(): void {
    process.off('SIGTSTP', suspend).on('SIGTSTP', suspend);
    take();
    use.resized();
  }

  emitKeypressEvents(stdin);
  stdin.on('keypress', (_, key) => {
    const name = keyName(key);
    if (name !== undefined) use.pressed(name);
  });
  for (const stream of [stdin, stdout]) stream.on('error', use.gone);
  stdin.on('end', use.gone);
  stdout.on('resize', use.resized);
  for (const signal of deadly) process.once(signal, end);
  process.on('SIGCONT', resume);
  process.on('SIGTSTP', suspend);
  process.on('exit', giveBack);
  take();

  return {
    get size(): Size {
      return { columns: stdout.columns || 80, rows: stdout.rows || 24 };
    },
    write: (text: string) => void stdout.write(text),
    suspend,
    giveBack,
  };
}
