// Reads the text of a heap snapshot piece by piece, since it can be longer than the longest string of V8. Its sections are in the order in
// which V8 writes them: a head, lists of numbers, and the strings at its end.
import { readSync } from 'node:fs';
import { StringDecoder } from 'node:string_decoder';
import { ProfileError } from '../call-tree.ts';

export class Sections {
  readonly #fd: number;
  readonly #decoder = new StringDecoder();
  readonly #piece = Buffer.allocUnsafe(1024 * 1024);
  /** What was read and not used yet. */
  #text = '';

  constructor(fd: number) {
    this.#fd = fd;
  }

  /** Goes on to the values of the list with this key. Returns the end of what is before it, at most `kept` characters. */
  begin(key: string, kept: number): string {
    const mark = new RegExp(`"${key}"\\s*:\\s*\\[`);
    for (;;) {
      const found = mark.exec(this.#text);
      if (found) {
        const before = this.#text.slice(0, found.index);
        this.#text = this.#text.slice(found.index + found[0].length);
        return before.slice(-kept);
      }
      this.#text = this.#text.slice(-kept);
      if (!this.#readMore()) throw new ProfileError('it is not a heap snapshot');
    }
  }

  /** Fills `into` with a list of whole numbers from 0 up that must be as long. `what`: what they are. */
  numbers(into: Uint32Array, what: string): void {
    let count = 0;
    for (let isLast = false; !isLast; ) {
      const end = this.#text.indexOf(']');
      isLast = end >= 0;
      const part = this.#take(isLast ? end : this.#text.lastIndexOf(','));
      for (const value of part) {
        if (!Number.isInteger(value) || (value as number) < 0)
          throw new ProfileError('it has something else in a list of numbers');
        if (count >= into.length || (value as number) > 0xffffffff)
          throw new ProfileError(`${what} are not what its head announces`);
        into[count] = value as number;
        count += 1;
      }
      if (!isLast) this.#expectMore();
    }
    if (count !== into.length) throw new ProfileError(`${what} are not what its head announces`);
  }

  /** The rest, which must be a list of strings, each cut after `most` characters. */
  strings(most: number): string[] {
    const strings: string[] = [];
    // A slice would keep the whole string in memory.
    const cut = (text: string) => (text.length > most ? Buffer.from(text.slice(0, most)).toString() : text);
    const add = (part: unknown[]) => {
      for (const each of part) strings.push(cut(String(each)));
    };
    // V8 writes each on a line of its own, and no string has a line break.
    do add(this.#take(this.#text.lastIndexOf(',\n')));
    while (this.#readMore());
    const end = /\]\s*\}\s*$/.exec(this.#text);
    if (!end) throw new ProfileError('it ends too early');
    add(this.#take(end.index));
    return strings;
  }

  /** The values up to this place, and goes on behind it; none if there is no such place. */
  #take(end: number): unknown[] {
    if (end < 0) return [];
    const part = this.#text.slice(0, end);
    this.#text = this.#text.slice(end + 1);
    try {
      return JSON.parse(`[${part}]`) as unknown[];
    } catch {
      throw new ProfileError('it has something that is not JSON');
    }
  }

  #expectMore(): void {
    if (!this.#readMore()) throw new ProfileError('it ends too early');
  }

  #readMore(): boolean {
    const length = readSync(this.#fd, this.#piece);
    this.#text += this.#decoder.write(this.#piece.subarray(0, length));
    return length > 0;
  }
}
