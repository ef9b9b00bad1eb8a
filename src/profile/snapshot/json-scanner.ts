// Reads JSON from a file piece by piece: a heap snapshot can be longer than the longest string of V8.
import { readSync } from 'node:fs';
import { ProfileError } from '../call-tree.ts';

const codes = {
  space: 0x20,
  quote: 0x22,
  comma: 0x2c,
  backslash: 0x5c,
  zero: 0x30,
  nine: 0x39,
  unicode: 0x75,
} as const;
const open = new Set([0x5b, 0x7b]);
const close = new Set([0x5d, 0x7d]);
const end = -1;

export class JsonScanner {
  readonly #fd: number;
  readonly #chunk = Buffer.allocUnsafe(1024 * 1024);
  #at = 0;
  #length = 0;

  constructor(fd: number) {
    this.#fd = fd;
  }

  /** Calls `read` for each key of an object; it has to read or skip the value. */
  object(read: (key: string) => void): void {
    this.#expect('{');
    if (this.#takes('}')) return;
    do {
      const key = this.string(100);
      this.#expect(':');
      read(key);
    } while (this.#takes(','));
    this.#expect('}');
  }

  /** Calls `read` before each entry of a list. */
  list(read: () => void): void {
    this.#expect('[');
    if (this.#takes(']')) return;
    do read();
    while (this.#takes(','));
    this.#expect(']');
  }

  /** Fills `into` with a list of whole numbers from 0 up that must be as long. */
  numbers(into: Uint32Array, what: string): void {
    let count = 0;
    this.list(() => {
      const value = this.#number();
      if (count >= into.length || value > 0xffffffff) throw new ProfileError(`${what} are not what its head announces`);
      into[count] = value;
      count += 1;
    });
    if (count !== into.length) throw new ProfileError(`${what} are not what its head announces`);
  }

  /** Without what is beyond `most` characters. */
  string(most: number): string {
    this.#expect('"');
    const bytes: number[] = [];
    for (let byte = this.#next(); byte !== codes.quote; byte = this.#next()) {
      if (byte === end) throw new ProfileError('it ends too early');
      const unit = byte === codes.backslash ? this.#escape() : [byte];
      // Four bytes are the longest character.
      if (bytes.length < most * 4) bytes.push(...unit);
    }
    try {
      return (JSON.parse(`"${Buffer.from(bytes).toString()}"`) as string).slice(0, most);
    } catch {
      throw new ProfileError('it has a string that is not JSON');
    }
  }

  /** The rest of it, with its backslash. It must not be cut. */
  #escape(): number[] {
    const kind = this.#next();
    const digits = kind === codes.unicode ? [this.#next(), this.#next(), this.#next(), this.#next()] : [];
    return [codes.backslash, kind, ...digits];
  }

  /** Any value, as text of at most `most` bytes. */
  raw(most: number): string {
    const bytes: number[] = [];
    this.#value((byte) => {
      if (bytes.push(byte) > most) throw new ProfileError('its head is too long');
    });
    return Buffer.from(bytes).toString();
  }

  skip(): void {
    this.#value(() => {});
  }

  #value(pass: (byte: number) => void): void {
    let depth = 0;
    let isString = false;
    this.#peekToken();
    for (;;) {
      const byte = this.#peek();
      if (byte === end) throw new ProfileError('it ends too early');
      if (!isString && depth === 0 && (byte === codes.comma || close.has(byte))) return;
      this.#at += 1;
      pass(byte);
      if (isString && byte === codes.backslash) pass(this.#next());
      else if (byte === codes.quote) isString = !isString;
      else if (!isString && open.has(byte)) depth += 1;
      else if (!isString && close.has(byte)) depth -= 1;
    }
  }

  #number(): number {
    let byte = this.#peekToken();
    if (!isDigit(byte)) throw new ProfileError('it has something else in a list of numbers');
    let value = 0;
    for (; isDigit(byte); byte = this.#peek()) {
      value = value * 10 + byte - codes.zero;
      this.#at += 1;
    }
    return value;
  }

  #expect(token: string): void {
    if (!this.#takes(token)) throw new ProfileError(`it has no ${token} where one must be`);
  }

  #takes(token: string): boolean {
    const isThere = this.#peekToken() === token.charCodeAt(0);
    if (isThere) this.#at += 1;
    return isThere;
  }

  #peekToken(): number {
    let byte = this.#peek();
    for (; byte !== end && byte <= codes.space; byte = this.#peek()) this.#at += 1;
    return byte;
  }

  #next(): number {
    const byte = this.#peek();
    this.#at += 1;
    return byte;
  }

  #peek(): number {
    if (this.#at >= this.#length) {
      this.#length = readSync(this.#fd, this.#chunk);
      this.#at = 0;
      if (this.#length === 0) return end;
    }
    return this.#chunk[this.#at]!;
  }
}

function isDigit(byte: number): boolean {
  return byte >= codes.zero && byte <= codes.nine;
}
