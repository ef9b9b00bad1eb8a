// Bytes to lines. Lines are bytes too: what an app wrote is shown as it wrote it, valid UTF-8 or not.

/** A line without an end is handed on in pieces of this size: it must not fill the memory. */
export const longestShownLine = 32 * 1024 * 1024;

const newline = 0x0a;

export class LineSplitter {
  /** The beginning of a line whose end has not come yet. */
  #rest: Buffer[] = [];
  #length = 0;

  /** The lines that these bytes complete, without their newlines. They refer to `bytes`, which must not change afterwards. */
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

  /** The line that was begun, if nothing more is to come. */
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
