// Redraws what has changed of the screen, at a limited rate.
import type { Clock } from '../shared/clock.ts';

/** Milliseconds between frames. */
const pause = 100;

export class Drawer {
  readonly #render: () => readonly string[];
  readonly #write: (text: string) => void;
  readonly #clock: Clock;
  #shown: readonly string[] | undefined;
  #drawnAt = Number.NEGATIVE_INFINITY;
  #isDue = false;

  constructor(render: () => readonly string[], write: (text: string) => void, clock: Clock) {
    this.#render = render;
    this.#write = write;
    this.#clock = clock;
  }

  /** Schedules a frame; it is delayed if there has just been one. */
  soon(): void {
    if (this.#isDue) return;
    this.#isDue = true;
    const wait = this.#drawnAt + pause - this.#clock.now();
    if (wait <= 0) this.#draw();
    else this.#clock.after(wait, () => this.#draw());
  }

  /** Redraws the whole screen at once. */
  anew(): void {
    this.#shown = undefined;
    this.#draw();
  }

  #draw(): void {
    this.#isDue = false;
    this.#drawnAt = this.#clock.now();
    const rows = this.#render();
    const text = difference(this.#shown, rows);
    this.#shown = rows;
    if (text !== '') this.#write(text);
  }
}

/**
 * Unchanged rows are not written; if the content of the terminal is unknown, it is cleared. Each row is positioned
 * absolutely and the terminal does not wrap (terminal.ts), so a row that is too long does not damage others.
 */
export function difference(before: readonly string[] | undefined, after: readonly string[]): string {
  const rows = after.map((row, index) => (row === (before?.[index] ?? '') ? '' : `\x1b[${index + 1};1H\x1b[2K${row}`));
  return `${before ? '' : '\x1b[2J'}${rows.join('')}`;
}
