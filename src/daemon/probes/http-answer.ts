// Reads the answer to an HTTP/1 probe, as far as it is needed to know whether it is one, and no further. Pure.

/** Bytes of the status line and the headers. */
const longestHead = 16 * 1024;
/** Bytes of the body after which it counts as an answer: what follows may have no end. */
const enoughBody = 10 * 1024;

export class HttpAnswer {
  #head = Buffer.alloc(0);
  #status: number | undefined;
  /** Bytes of the body; Infinity if only its end shows how long it is. */
  #length = Number.POSITIVE_INFINITY;
  #body = 0;

  /** Returns the status when the answer is complete, or long enough. Throws an Error that says what is wrong with it. */
  read(bytes: Buffer): number | undefined {
    let rest = bytes;
    while (this.#status === undefined) {
      const before = this.#head.length;
      this.#head = Buffer.concat([this.#head, rest]);
      const end = this.#head.indexOf('\r\n\r\n', Math.max(0, before - 3));
      if (!looksLikeHttp(this.#head)) throw new Error('what it answered is not HTTP');
      if (end > longestHead || (end < 0 && this.#head.length > longestHead))
        throw new Error(`the headers of its answer are longer than ${longestHead / 1024} kB`);
      if (end < 0) return undefined;
      rest = this.#head.subarray(end + 4);
      this.#begin(this.#head.toString('latin1', 0, end));
      this.#head = Buffer.alloc(0);
    }
    this.#body += rest.length;
    return this.#body >= Math.min(this.#length, enoughBody) ? this.#status : undefined;
  }

  /** The server has closed the connection. */
  end(): number {
    if (this.#status === undefined) {
      throw new Error(
        this.#head.length > 0 ? 'its answer broke off in the headers' : 'it closed the connection without an answer',
      );
    }
    if (Number.isFinite(this.#length))
      throw new Error(`its answer broke off after ${this.#body} of ${this.#length} bytes`);
    return this.#status;
  }

  #begin(head: string): void {
    const status = Number(/^HTTP\/1\.[01] (\d{3})(?: |\r|$)/.exec(head)?.[1]);
    if (Number.isNaN(status)) throw new Error('what it answered is not HTTP');
    // Something like "100 Continue": the answer follows.
    if (status < 200) return;
    this.#status = status;
    const length = /\r\ncontent-length: *(\d+)/i.exec(head)?.[1];
    if (length !== undefined) this.#length = Number(length);
    if (status === 204 || status === 304) this.#length = 0;
  }
}

function looksLikeHttp(head: Buffer): boolean {
  const start = 'HTTP/1.';
  const begun = head.toString('latin1', 0, start.length);
  return start.startsWith(begun);
}
