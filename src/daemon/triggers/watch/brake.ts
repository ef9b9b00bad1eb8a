// Ends a loop in which an app changes watched files whenever it starts. Pure, on a given clock.
import { extname } from 'node:path';
import type { Clock } from '../../../shared/clock.ts';

/** How many starts in a row may each be followed by a change of a file; more for code, which people save again once they see its effect. */
const mostInARow = 5;
const mostInARowOfCode = 20;
/** Milliseconds after a start that count as right after it. */
const soon = 3_000;
/** Milliseconds that the next restart is put off, doubled each time. */
const shortestRest = 10_000;
const longestRest = 60_000;

export interface Verdict {
  /** The files that count. */
  counting: string[];
  /** Those that do not count any more as of now, since they have changed again after a restart that was put off. */
  ignored: string[];
  /** Milliseconds that the restart is put off; 0 if it is not. */
  rest: number;
}

/**
 * A person who saves a file again and again looks like such an app at first. So a restart is put off once: a person seldom changes the
 * file again right after that one, and the app always does.
 */
export class Brake {
  readonly #clock: Clock;
  readonly #isCode: (file: string) => boolean;
  readonly #ignored = new Set<string>();
  /** After how many starts in a row each file, and any file, has changed. */
  #inARow = new Map<string, number>();
  #row = 0;
  #startedAt = Number.NEGATIVE_INFINITY;
  /** What has changed right after the last start. */
  #changed = new Set<string>();

  /** `script`: that of the app, which tells what code is. */
  constructor(clock: Clock, script: string) {
    this.#clock = clock;
    const ending = extname(script);
    this.#isCode = (file) => /\.[cm]?[jt]sx?$/.test(file) || (ending !== '' && extname(file) === ending);
  }

  /** A process of the app has started. However many instances it has, the app starts with the first one. */
  started(slot: number): void {
    this.#startedAt = this.#clock.now();
    if (slot > 0) return;
    this.#inARow = new Map([...this.#changed].map((file) => [file, this.#after(file) + 1]));
    this.#row = this.#changed.size > 0 ? this.#row + 1 : 0;
    this.#changed.clear();
  }

  /** `files` have changed together. `since`: when the first one did. */
  judge(files: readonly string[], since: number): Verdict {
    const known = files.filter((file) => !this.#ignored.has(file));
    // A file that is written all the time has changed right after the start, too.
    if (since - this.#startedAt > soon && known.some((file) => !this.#changed.has(file))) {
      this.#inARow.clear();
      this.#row = 0;
      this.#changed.clear();
      return { counting: known, ignored: [], rest: 0 };
    }
    for (const file of known) this.#changed.add(file);
    const ignored = known.filter((file) => this.#after(file) > this.#most(file));
    for (const file of ignored) this.#ignored.add(file);
    const counting = known.filter((file) => !ignored.includes(file));
    const over = this.#row - Math.max(0, ...counting.map((file) => this.#most(file)));
    const rest = over < 0 ? 0 : Math.min(shortestRest * 2 ** over, longestRest);
    return { counting, ignored, rest };
  }

  #after(file: string): number {
    return this.#inARow.get(file) ?? 0;
  }

  #most(file: string): number {
    return this.#isCode(file) ? mostInARowOfCode : mostInARow;
  }
}
