// Current problems of log files. Each is reported once when it begins and once when it ends.
import { dirname } from 'node:path';
import type { EventBus } from '../events.ts';

export class LogProblems {
  readonly #events: EventBus;
  readonly #known = new Map<string, string>();

  constructor(events: EventBus) {
    this.#events = events;
  }

  /** `file`: a log file, or a directory of log files. */
  begin(file: string, detail: string): void {
    const isNews = !this.#known.has(file);
    this.#known.set(file, detail);
    if (isNews) this.#events.emit({ type: 'log-failed', file, detail });
  }

  end(file: string): void {
    if (this.#known.delete(file)) this.#events.emit({ type: 'log-recovered', file });
  }

  get exist(): boolean {
    return this.#known.size > 0;
  }

  /** Problems of the file or of its directory. */
  about(file: string): string[] {
    return [file, dirname(file)].flatMap((place) => {
      const detail = this.#known.get(place);
      return detail === undefined ? [] : [`${place}: ${detail}`];
    });
  }
}
