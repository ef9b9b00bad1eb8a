// Splits bytes into whole lines. An incomplete line is held until its end arrives, up to a limit.

const newline = 0x0a;

/** Bytes of a line after which it is passed on in pieces. */
export const longestFormattedLine = 1024 * 1024;

/** Bytes of buffer to keep for the next line once a line is complete. */
const keptRoom = 128 * 1024;

/**
 * Takes one or more lines, separated by newlines and without one at the end. The buffer is valid only during the call.
 * With `isPiece`, the line is incomplete and the next call begins with the rest of it.
 */
export type TakeLines = (lines: Buffer, isPiece: boolean) => void;

export class FormatterLines {
  readonly #emit: TakeLines;
  readonly #longest: number;
  #held = Buffer.alloc(0);
  #length = 0;

  constructor(emit: TakeLines, longest = longestFormattedLine) {
    this.#emit = emit;
    this.#longest = longest;
  }

  /** The incomplete line so far. Valid until the next call. */
  get unfinished(): Buffer {
    return this.#held.subarray(0, this.#length);
  }

  /** The caller may reuse the chunk afterwards. */
  take(chunk: Buffer): void {
    const end = chunk.lastIndexOf(newline);
    if (end >= 0) this.#complete(chunk.subarray(0, end));
    this.#hold(chunk.subarray(end + 1));
    while (this.#length > this.#longest) this.#breakOff();
  }

  /** Emits the incomplete line at the end of the input. */
  finish(): void {
    if (this.#length === 0) return;
    this.#emit(this.#held.subarray(0, this.#length), false);
    this.#clear();
  }

  #complete(lines: Buffer): void {
    if (this.#length === 0) {
      this.#emit(lines, false);
      return;
    }
    this.#hold(lines);
    this.#emit(this.#held.subarray(0, this.#length), false);
    this.#clear();
  }

  #breakOff(): void {
    const held = this.#held.subarray(0, this.#length);
    const at = wholeCharacters(held, this.#longest);
    this.#emit(held.subarray(0, at), true);
    held.copyWithin(0, at);
    this.#length -= at;
  }

  /** Uses one buffer that doubles. In a list of chunks, every byte written alone would cost a hundred bytes. */
  #hold(part: Buffer): void {
    const length = this.#length + part.length;
    if (length > this.#held.length) {
      const grown = Buffer.allocUnsafeSlow(Math.max(length, this.#held.length * 2));
      this.#held.copy(grown, 0, 0, this.#length);
      this.#held = grown;
    }
    part.copy(this.#held, this.#length);
    this.#length = length;
  }

  #clear(): void {
    this.#length = 0;
    if (this.#held.length > keptRoom) this.#held = Buffer.alloc(0);
  }
}

/** The largest length up to `limit` that does not split a UTF-8 character; `limit` if the bytes are not UTF-8. */
function wholeCharacters(bytes: Buffer, limit: number): number {
  for (let at = limit; at > Math.max(0, limit - 4); at -= 1) if ((bytes[at]! & 0xc0) !== 0x80) return at;
  return limit;
}
