// Frames messages as lines. Limits the size of an incomplete line.

const newline = 0x0a;

export class LineTooLong extends Error {}

export class LineReader {
  readonly #limit: () => number;
  #held = Buffer.alloc(0);
  #length = 0;

  /** `limit`: maximum bytes per line, which may change between two lines. */
  constructor(limit: number | (() => number)) {
    this.#limit = typeof limit === 'number' ? () => limit : limit;
  }

  /** Bytes of the current incomplete line. */
  get held(): number {
    return this.#length;
  }

  /**
   * Yields the lines that end in this chunk, without line ends; skips empty lines. Throws LineTooLong. Splits bytes
   * rather than text, so a character that spans two chunks stays intact.
   */
  *read(chunk: Buffer): Generator<string, void> {
    let start = 0;
    for (let end = chunk.indexOf(newline); end !== -1; end = chunk.indexOf(newline, start)) {
      const line = this.#complete(chunk.subarray(start, end)).trim();
      start = end + 1;
      if (line !== '') yield line;
    }
    this.#hold(chunk.subarray(start));
  }

  #complete(rest: Buffer): string {
    if (this.#length === 0) return this.#within(rest).toString();
    this.#hold(rest);
    const line = this.#held.toString('utf8', 0, this.#length);
    this.#held = Buffer.alloc(0);
    this.#length = 0;
    return line;
  }

  /** Uses one buffer that doubles. In a list of chunks, every byte sent alone would cost a hundred bytes. */
  #hold(part: Buffer): void {
    if (part.length === 0) return;
    const length = this.#within(part).length + this.#length;
    if (length > this.#held.length) {
      const grown = Buffer.allocUnsafe(Math.min(this.#limit(), Math.max(length, this.#held.length * 2)));
      this.#held.copy(grown, 0, 0, this.#length);
      this.#held = grown;
    }
    part.copy(this.#held, this.#length);
    this.#length = length;
  }

  #within(part: Buffer): Buffer {
    const limit = this.#limit();
    if (this.#length + part.length > limit) throw new LineTooLong(`a message is longer than ${limit} bytes`);
    return part;
  }
}

export function renderLine(message: object): string {
  return `${JSON.stringify(message)}\n`;
}
