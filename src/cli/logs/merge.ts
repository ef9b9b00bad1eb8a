// Merges the lines of several logs by time. Pure but for its sources.
import type { Start } from '../render/log-line.ts';
import { lineTimeOf } from './line-time.ts';

/** A line, or the start of a process at that place. */
export type Entry = Buffer | Start;

/** A source of lines in order, in batches; undefined if there are none for now. */
export interface Lines {
  next(): Promise<Entry[] | undefined>;
}

/** One of the merged logs. Kept between merges to remember the time of its last line. */
export class Lane<S extends Lines = Lines> {
  readonly source: S;
  #lines: Entry[] = [];
  #times: number[] = [];
  #at = 0;
  #last: number | undefined;

  constructor(source: S) {
    this.source = source;
  }

  /** The time of the next line; undefined if there is none for now. */
  get time(): number | undefined {
    return this.#at < this.#lines.length ? (this.#times[this.#at] ?? Number.NEGATIVE_INFINITY) : undefined;
  }

  take(): Entry {
    const line = this.#lines[this.#at]!;
    this.#at += 1;
    return line;
  }

  /** Fetches lines if there are none, and returns how many batches. Without `isTimed`, ignores their times. */
  async fill(isTimed: boolean): Promise<number> {
    let fetched = 0;
    while (this.#at >= this.#lines.length) {
      const lines = await this.source.next();
      fetched += 1;
      this.#lines = lines ?? [];
      this.#at = 0;
      this.#times = isTimed ? timesOf(this.#lines, this.#last) : [];
      this.#last = this.#times.at(-1) ?? this.#last;
      if (!lines) break;
    }
    return fetched;
  }
}

/**
 * A line without a time, as in a stack trace, gets that of the previous line, or of the start of its process; lines before the first
 * time get the first time. If no line has a time, all come first, so that such logs are shown one after another.
 */
export function timesOf(lines: readonly Entry[], last?: number): number[] {
  const times = lines.map((line) => (Buffer.isBuffer(line) ? lineTimeOf(line) : line.at));
  let time = last ?? times.find((each) => each !== undefined) ?? Number.NEGATIVE_INFINITY;
  return times.map((each) => {
    time = each ?? time;
    return time;
  });
}

/** Batches before other work, such as a signal, gets a turn. */
const turn = 16;

/** Emits all lines available now. Awaits `pause` regularly, so that memory does not fill up if the reader is slow. */
export async function merge<S extends Lines>(
  lanes: readonly Lane<S>[],
  emit: (source: S, line: Entry) => void,
  pause: () => Promise<void>,
): Promise<void> {
  const isTimed = lanes.length > 1;
  for (const lane of lanes) await lane.fill(isTimed);
  let left = lanes.filter((lane) => lane.time !== undefined);
  for (let fetched = 0; left.length > 0; ) {
    const { first, until } = nextRun(left);
    for (let time = first.time; time !== undefined && time <= until; time = first.time)
      emit(first.source, first.take());
    fetched += await first.fill(isTimed);
    if (first.time === undefined) left = left.filter((lane) => lane !== first);
    if (fetched < turn) continue;
    fetched = 0;
    await pause();
  }
}

/** The lane with the earliest line, and the time until which to read it. At equal times, earlier lanes go first. */
function nextRun<L extends Lane>(lanes: readonly L[]): { first: L; until: number } {
  let first = lanes[0]!;
  let until = Number.POSITIVE_INFINITY;
  for (const lane of lanes.slice(1)) {
    if (lane.time! < first.time!) {
      // At an equal time, the earlier lane goes first. Times are whole milliseconds.
      until = Math.min(until, first.time! - 1);
      first = lane;
    } else {
      until = Math.min(until, lane.time!);
    }
  }
  return { first, until };
}
