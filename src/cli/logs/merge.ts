// The lines of several logs in the order of their times. Pure but for what it is given.
import { timeOf } from './line-time.ts';

/** Gives its lines in order, batch by batch; undefined when there are no more for now. */
export interface Lines {
  next(): Promise<Buffer[] | undefined>;
}

/** One log among those that are merged. It lives on between two looks, for the time of its last line. */
export class Lane<S extends Lines = Lines> {
  readonly source: S;
  #lines: Buffer[] = [];
  #times: number[] = [];
  #at = 0;
  #last: number | undefined;

  constructor(source: S) {
    this.source = source;
  }

  /** The time of the next line; undefined when there is none now. */
  get time(): number | undefined {
    return this.#at < this.#lines.length ? (this.#times[this.#at] ?? Number.NEGATIVE_INFINITY) : undefined;
  }

  take(): Buffer {
    const line = this.#lines[this.#at]!;
    this.#at += 1;
    return line;
  }

  /** Fetches lines unless there are some; how often it had to. Without `isTimed` they are all of any time. */
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
 * A line without a time has that of the one before it, as in stack traces; what stands before the first time has that one.
 * Where no line has a time it is before all times, so that such logs are shown one after another.
 */
export function timesOf(lines: readonly Buffer[], last?: number): number[] {
  const times = lines.map(timeOf);
  let time = last ?? times.find((each) => each !== undefined) ?? Number.NEGATIVE_INFINITY;
  return times.map((each) => {
    time = each ?? time;
    return time;
  });
}

/** Batches after which others get their turn: a signal, say. */
const turn = 16;

/** All lines that there are now. `pause` is awaited now and then: the memory is not theirs if a reader is behind. */
export async function merge<S extends Lines>(
  lanes: readonly Lane<S>[],
  emit: (source: S, line: Buffer) => void,
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

/** The lane whose turn it is, and until which time. Where times are equal the order is that of the lanes. */
function nextRun<L extends Lane>(lanes: readonly L[]): { first: L; until: number } {
  let first = lanes[0]!;
  let until = Number.POSITIVE_INFINITY;
  for (const lane of lanes.slice(1)) {
    if (lane.time! < first.time!) {
      // The earlier lane has the precedence at its time.
      until = Math.min(until, justBefore(first.time!));
      first = lane;
    } else {
      until = Math.min(until, lane.time!);
    }
  }
  return { first, until };
}

/** Times are whole milliseconds. */
function justBefore(time: number): number {
  return time - 1;
}
