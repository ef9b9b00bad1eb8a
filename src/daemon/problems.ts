// What is wrong at the moment. Each problem is an event when it begins and when it is over; while it lasts, `nsv list`, `show`, `health`
// and `doctor` have it. What is only logged, nobody reads.
import { withFile } from '../ipc/records/problems.ts';
import type { ProblemKind, ProblemView } from '../ipc/views.ts';
import type { Clock } from '../shared/clock.ts';
import type { DaemonEvent } from './events.ts';

export type ProblemEvent = Extract<DaemonEvent, { type: 'problem' | 'solved' }>;

/** The commands of an app. Their problems last until they succeed, or a person has taken note. */
export const commandKinds = ['on-death', 'on-giveup', 'post_stop'] as const satisfies ProblemKind[];

interface Problem {
  about: ProblemKind;
  file: string | undefined;
  detail: string;
  since: number;
}

/** Tells a problem of an app, or null that it is over: see `Problems.set`. */
export type ReportProblem = (app: string, ...problem: Parameters<Problems['set']>) => void;

export class Problems {
  readonly #known = new Map<string, Problem>();
  readonly #clock: Pick<Clock, 'now'>;
  readonly #emit: (event: ProblemEvent) => void;

  constructor(clock: Pick<Clock, 'now'>, emit: (event: ProblemEvent) => void) {
    this.#clock = clock;
    this.#emit = emit;
  }

  /** `detail`: what is wrong; null if nothing is any more. `file`: the one of several that has the problem. */
  set(about: ProblemKind, detail: string | null, file?: string): void {
    const key = `${about}\0${file ?? ''}`;
    const known = this.#known.get(key);
    const what = { about, ...(file !== undefined && { file }) };
    if (detail !== null) {
      this.#known.set(key, { about, file, detail, since: known?.since ?? this.#clock.now() });
      if (known?.detail !== detail) this.#emit({ type: 'problem', ...what, detail });
    } else if (this.#known.delete(key)) this.#emit({ type: 'solved', ...what });
  }

  get exist(): boolean {
    return this.#known.size > 0;
  }

  detailOf(about: ProblemKind): string | null {
    return [...this.#known.values()].find((problem) => problem.about === about)?.detail ?? null;
  }

  /** Without `kinds`, all. */
  clear(...kinds: ProblemKind[]): void {
    for (const { about, file } of this.#known.values())
      if (kinds.length === 0 || kinds.includes(about)) this.set(about, null, file);
  }

  /** Those of other files are over: nothing uses these any more. */
  keep(isUsed: (file: string) => boolean): void {
    for (const { about, file } of this.#known.values())
      if (file !== undefined && !isUsed(file)) this.set(about, null, file);
  }

  /** `files`: only those of these. */
  views(files?: ReadonlySet<string>): ProblemView[] {
    return [...this.#known.values()].flatMap(({ about, file, detail, since }) => {
      if (files && !(file !== undefined && files.has(file))) return [];
      return [{ about, detail: withFile(detail, file), ago: Math.round(this.#clock.now() - since) }];
    });
  }
}
