// A small seeded generator (mulberry32): the same seed and case give the same input on every machine.

export class Random {
  #state;

  /** One generator per case, so that a case can be repeated without those before it. */
  constructor(seed, index = 0) {
    this.#state = (Math.imul(seed, 0x9e3779b1) ^ Math.imul(index + 1, 0x85ebca6b)) >>> 0;
    this.next();
  }

  /** 0 to 2^32 - 1. */
  next() {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), this.#state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return (mixed ^ (mixed >>> 14)) >>> 0;
  }

  /** 0 to `end` - 1. */
  below(end) {
    return end <= 1 ? 0 : this.next() % end;
  }

  between(least, most) {
    return least + this.below(most - least + 1);
  }

  /** True once in `times`. */
  oneIn(times) {
    return this.below(times) === 0;
  }

  pick(list) {
    return list[this.below(list.length)];
  }

  bytes(length) {
    const bytes = Buffer.allocUnsafe(length);
    for (let at = 0; at < length; at += 1) bytes[at] = this.next() & 0xff;
    return bytes;
  }

  /** Random characters of an alphabet. */
  text(length, alphabet) {
    return Array.from({ length }, () => this.pick(alphabet)).join('');
  }
}
