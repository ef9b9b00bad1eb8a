// Draws the screen when something has changed, not more often than an eye can follow.
import type { Clock } from '../shared/clock.ts';
import { difference } from './frame.ts';

/** Milliseconds from one frame to the next. */
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

  /** Shows what is to be shown then, after a pause if there has just been a frame. */
  soon(): void {
    if (this.#isDue) return;
    this.#isDue = true;
    const wait = this.#drawnAt + pause - this.#clock.now();
    if (wait <= 0) this.#draw();
    else this.#clock.after(wait, () => this.#draw());
  }

  /** At once, as if nothing were known of what the terminal shows. */
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
