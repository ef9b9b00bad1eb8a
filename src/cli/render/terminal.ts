// What renderers need to know of the output stream, and what a terminal shows while a command waits.
import type { Clock } from '../../shared/clock.ts';
import { harmless } from './text.ts';
import { cutTo } from './width.ts';

export interface Terminal {
  /** Width in characters. */
  columns: number;
  colour: boolean;
  /** False for a pipe or a file: no frames, and nothing is dropped or shortened. */
  tty: boolean;
  /** Set for a terminal that cannot draw, or that nobody looks at: no frames, and nothing moves. */
  isPlain?: true;
}

/** NO_COLOR (https://no-color.org) wins over FORCE_COLOR, which wins over the type of the stream. */
export function terminalOf(
  stream: { isTTY?: boolean; columns?: number },
  env: Record<string, string | undefined>,
): Terminal {
  const tty = stream.isTTY === true;
  const isPlain = env.TERM === 'dumb' || !['', '0', 'false', undefined].includes(env.CI);
  return { tty, columns: stream.columns || 80, colour: wantsColour(tty, env), ...(isPlain && { isPlain }) };
}

function wantsColour(tty: boolean, { NO_COLOR, FORCE_COLOR, TERM }: Record<string, string | undefined>): boolean {
  if (NO_COLOR) return false;
  if (FORCE_COLOR !== undefined) return FORCE_COLOR !== '0' && FORCE_COLOR !== 'false';
  return tty && TERM !== 'dumb';
}

const frames = [...'⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏'];
const frameTime = 100;

export interface ProgressLine {
  show(text: string): void;
  clear(): void;
}

/**
 * An animated line that shows what a command is waiting for; removed when the wait is over. `stream` must be a terminal; otherwise
 * use `noProgress`.
 */
export function createProgress(stream: { write(text: string): unknown; columns?: number }, clock: Clock): ProgressLine {
  let current = '';
  let frame = 0;
  let cancel: (() => void) | undefined;

  function draw(): void {
    const text = cutTo(`${frames[frame % frames.length]} ${harmless(current)}`, (stream.columns || 80) - 1);
    stream.write(`\r\x1b[2K${text}`);
    frame += 1;
    cancel = clock.after(frameTime, draw);
  }

  return {
    show(text) {
      current = text;
      if (!cancel) draw();
    },
    clear() {
      if (cancel) stream.write('\r\x1b[2K');
      cancel?.();
      cancel = undefined;
    },
  };
}

export const noProgress: ProgressLine = { show() {}, clear() {} };
