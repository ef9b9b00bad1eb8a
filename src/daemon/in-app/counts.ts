// What processes that have ended had counted with `nsv/app`. Without it, a counter of the app would fall whenever a process is replaced.
import type { MetricSnapshot } from '../../ipc/app/metric-views.ts';
import { countsOf, parseMetrics } from '../../ipc/app/metrics.ts';
import type { Child } from '../launch/launcher.ts';

export class Counts {
  /** The last words of processes that have not ended yet: while they live, they are asked themselves. */
  readonly #told = new Map<Child, string>();
  #past: MetricSnapshot[];

  constructor(past: MetricSnapshot[] = []) {
    this.#past = past;
  }

  get past(): MetricSnapshot[] {
    return this.#past;
  }

  hear(child: Child, text: string): void {
    this.#told.set(child, text);
  }

  gone(child: Child): void {
    const text = this.#told.get(child);
    this.#told.delete(child);
    if (text !== undefined) this.#past = countsOf([...this.#past, ...parseCounts(text)]);
  }
}

/** Empty for what is not JSON: a process runs code of the user. */
function parseCounts(text: string): MetricSnapshot[] {
  try {
    return parseMetrics(JSON.parse(text));
  } catch {
    return [];
  }
}
