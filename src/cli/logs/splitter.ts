// Splits bytes into lines. Lines stay bytes, so that output is shown exactly as written, even if it is not valid UTF-8.

/** A line longer than this is split into pieces, to limit memory. */
export const longestShownLine = 32 * 1024 * 1024;

const newline = 0x0a;

export class LineSplitter {
  /** The beginning of an unfinished line. */
  #rest: Buffer[] = [];
  #length = 0;

  /** Returns the lines completed by these bytes, without newlines. They are views of `bytes`, which must not change. */
  split(bytes: Buffer): Buffer[] {
    const lines: Buffer[] = [];
    let from = 0;
    for (let at = bytes.indexOf(newline); at !== -1; at = bytes.indexOf(newline, from)) {
      lines.push(this.#length === 0 ? bytes.subarray(from, at) : this.#ended(bytes.subarray(from, at)));
      from = at + 1;
    }
    if (from < bytes.length) this.#keep(bytes.subarray(from));
    if (this.#length >= longestShownLine) lines.push(...this.end());
    return lines;
  }

  /** Returns the unfinished line, if there is one. */
  end(): Buffer[] {
    return this.#length === 0 ? [] : [this.#ended(Buffer.alloc(0))];
  }

  #keep(part: Buffer): void {
    this.#rest.push(part);
    this.#length += part.length;
  }

  #ended(part: Buffer): Buffer {
    const line = Buffer.concat([...this.#rest, part]);
    this.#rest = [];
    this.#length = 0;
    return line;
  }
}
