// What a program has written to its log since a given moment, to explain why it failed.
import type { AppSpec } from '../../config/app-spec.ts';
import { fileOf, type Streams } from './streams.ts';
import { endOf, linesSince } from './tail.ts';

/** A process, and where its errors go. */
interface ErrorSource extends Pick<Streams, 'errorFile' | 'isTheirs'> {
  spec: Pick<AppSpec, 'uid'>;
}

interface Start {
  end: number;
  /** The user to whom the file has to belong. */
  owner: number | undefined;
}

const shownLines = 15;

export class ErrorOutput {
  readonly #starts = new Map<string, Start>();

  /** Starts at the current end of the files. Output that goes elsewhere is not seen. */
  constructor(sources: readonly ErrorSource[]) {
    for (const { spec, errorFile, isTheirs } of sources) {
      const file = fileOf(errorFile);
      if (file !== null)
        this.#starts.set(file, { end: endOf(file), owner: isTheirs?.(file) ? Number(spec.uid) : undefined });
    }
  }

  /** Bytes of the only file at the start; undefined if there is none. */
  get begin(): number | undefined {
    const [start] = this.#starts.values();
    return start?.end;
  }

  /** At most the last lines. */
  lines(most = shownLines): string[] {
    return [...this.#starts]
      .filter(([file, { end }]) => endOf(file) !== end)
      .flatMap(([file, { end, owner }]) => linesSince(file, end, most, owner))
      .slice(-most);
  }
}
