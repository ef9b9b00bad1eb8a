// One message a line: bytes to lines and back, with a limit on what is kept of a line that has not ended.

const newline = 0x0a;

export class LineTooLong extends Error {}

export class LineReader {
  readonly #limit: number;
  #held = Buffer.alloc(0);
  #length = 0;

  /** `limit`: the bytes a line may have. */
  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Bytes of a line that has begun and not ended. */
  get held(): number {
    return this.#length;
  }

  /**
   * The lines that end in this chunk, without their line ends; empty lines are left out. Throws LineTooLong.
   * Lines are cut as bytes, so a character that is split between two chunks stays whole.
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

  /** Copied into one buffer that doubles: a list of chunks would let a sender of single bytes cost a hundred bytes for each. */
  #hold(part: Buffer): void {
    if (part.length === 0) return;
    const length = this.#within(part).length + this.#length;
    if (length > this.#held.length) {
      const grown = Buffer.allocUnsafe(Math.min(this.#limit, Math.max(length, this.#held.length * 2)));
      this.#held.copy(grown, 0, 0, this.#length);
      this.#held = grown;
    }
    part.copy(this.#held, this.#length);
    this.#length = length;
  }

  #within(part: Buffer): Buffer {
    if (this.#length + part.length > this.#limit) throw new LineTooLong(`a message may have ${this.#limit} bytes`);
    return part;
  }
}

export function renderLine(message: object): string {
  return `${JSON.stringify(message)}\n`;
}
