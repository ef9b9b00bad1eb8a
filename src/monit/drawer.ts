// Redraws the screen after changes, at a limited rate.
import type { Clock } from '../shared/clock.ts';
import { difference } from './frame.ts';

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
