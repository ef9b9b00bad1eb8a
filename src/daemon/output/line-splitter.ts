// Bytes to whole lines. What has begun is held until its end comes, up to a limit: memory is not endless.

const newline = 0x0a;

/** Bytes of a line after which it is passed on in pieces. */
export const longestFormattedLine = 1024 * 1024;

/** Bytes that may be kept for the next line once one is complete. */
const keptRoom = 128 * 1024;

/**
 * Takes one or more lines with newlines between them and none at the end; valid until it returns. A piece is not the end
 * of its line: the next lines begin with the rest of it.
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

  /** The chunk may be used again afterwards. */
  take(chunk: Buffer): void {
    const end = chunk.lastIndexOf(newline);
    if (end >= 0) this.#complete(chunk.subarray(0, end));
    this.#hold(chunk.subarray(end + 1));
    while (this.#length > this.#longest) this.#breakOff();
  }

  /** Nothing more is to come: what has begun is a line. */
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

  /** Copied into one buffer that doubles: a list of chunks would let a writer of single bytes cost a hundred for each. */
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

/** The largest length up to `limit` that cuts no character of UTF-8 in two; `limit` where the bytes are no UTF-8. */
function wholeCharacters(bytes: Buffer, limit: number): number {
  for (let at = limit; at > Math.max(0, limit - 4); at -= 1) if ((bytes[at]! & 0xc0) !== 0x80) return at;
  return limit;
}
