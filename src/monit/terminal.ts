// The terminal while it shows a screen: the one place that changes it, and that gives it back as it was, however nsv ends.
import { emitKeypressEvents } from 'node:readline';
import { keyName } from './keys.ts';
import type { Size } from './model.ts';

export interface TerminalListener {
  pressed(key: string): void;
  /** It has another size, or it may show anything: after a stop, say. */
  resized(): void;
  /** Nobody sees it any more. */
  gone(): void;
}

export interface RawTerminal {
  readonly size: Size;
  write(text: string): void;
  /** As Ctrl-Z does in other programs: gives the terminal back, and stops until the shell goes on with us. */
  suspend(): void;
  giveBack(): void;
}

/** Another buffer, so that what was there is still there afterwards; no cursor; rows that are too long do not wrap. */
const takeOver = '\x1b[?1049h\x1b[?25l\x1b[?7l';
const undo = '\x1b[?7h\x1b[?25h\x1b[?1049l';

/** Signals that end us: by themselves, once the terminal is as it was. */
const deadly = ['SIGTERM', 'SIGHUP', 'SIGQUIT'] as const;

export function takeTerminal({ stdin, stdout }: NodeJS.Process, use: TerminalListener): RawTerminal {
  let isTaken = false;

  function take(): void {
    // Node sets what it believes to be set only once, and the shell may have changed it while we were stopped.
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

  function suspend(): void {
    giveBack();
    process.off('SIGTSTP', suspend);
    // All of the shell's job, as the terminal would; where nobody could go on with us, the system does not stop us.
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
    get size() {
      return { columns: stdout.columns || 80, rows: stdout.rows || 24 };
    },
    write: (text) => void stdout.write(text),
    suspend,
    giveBack,
  };
}
