// An animated line on standard error that shows what a command is waiting for; removed when the wait is over.
import type { Clock } from '../../shared/clock.ts';
import { harmless } from './text.ts';
import { cutTo } from './width.ts';

const frames = [...'⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏'];
const frameTime = 100;

export interface ProgressLine {
  show(text: string): void;
  clear(): void;
}

/** `stream` must be a terminal; otherwise use `noProgress`. */
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
