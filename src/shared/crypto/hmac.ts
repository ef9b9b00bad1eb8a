// HMAC-SHA-256 (RFC 2104, FIPS 180-4). Node's `crypto` takes 6 ms and 0.6 MB to load. A short text takes 40 us here
// without the optimizing compiler, which the daemon does not use, and 6 us there.

const blockSize = 64;

/** The constants of SHA-256. Computed at the first use, so that programs which only load this file do not pay. */
let k = new Int32Array();
let start = new Int32Array();

export type Mac = (text: string) => string;

/** Returns a function that authenticates texts. `key`: at most 64 bytes. Its results are 256 bits in hexadecimal. */
export function createHmac(key: Uint8Array): Mac {
  if (key.length > blockSize) throw new RangeError(`a key of ${key.length} bytes is too long`);
  prepare();
  const inner = afterKey(key, 0x36);
  const outer = afterKey(key, 0x5c);
  return (text) => hexOf(finish(outer, finish(inner, Buffer.from(text))));
}

function hexOf(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('hex');
}

/** Whether two texts are the same. How long it takes does not tell where they differ. */
export function isEqualText(one: string, other: string): boolean {
  if (one.length !== other.length) return false;
  let difference = 0;
  for (let at = 0; at < one.length; at += 1) difference |= one.charCodeAt(at) ^ other.charCodeAt(at);
  return difference === 0;
}

/** The state after the block of the key, which is the same for all texts. */
function afterKey(key: Uint8Array, pad: number): Int32Array {
  const block = new Uint8Array(blockSize).fill(pad);
  for (const [at, byte] of key.entries()) block[at] = byte ^ pad;
  return compress(start, block, 0);
}

/** Hashes `bytes` after the block that led to `state`. */
function finish(state: Int32Array, bytes: Uint8Array): Uint8Array {
  const padded = new Uint8Array((bytes.length + 9 + blockSize - 1) & -blockSize);
  padded.set(bytes);
  padded[bytes.length] = 0x80;
  const view = new DataView(padded.buffer);
  view.setUint32(padded.length - 4, (blockSize + bytes.length) * 8);
  let now = state;
  for (let at = 0; at < padded.length; at += blockSize) now = compress(now, padded, at);
  for (let i = 0; i < 8; i += 1) view.setInt32(i * 4, now[i]!);
  return padded.subarray(0, 32);
}

const w = new Int32Array(64);

function compress(state: Int32Array, bytes: Uint8Array, at: number): Int32Array {
  const view = new DataView(bytes.buffer, bytes.byteOffset + at, blockSize);
  for (let i = 0; i < 16; i += 1) w[i] = view.getInt32(i * 4);
  for (let i = 16; i < 64; i += 1) {
    const x = w[i - 15]!;
    const y = w[i - 2]!;
    const low = ((x >>> 7) | (x << 25)) ^ ((x >>> 18) | (x << 14)) ^ (x >>> 3);
    const high = ((y >>> 17) | (y << 15)) ^ ((y >>> 19) | (y << 13)) ^ (y >>> 10);
    w[i] = w[i - 16]! + low + w[i - 7]! + high;
  }
  const after = new Int32Array(state);
  let [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0] = after;
  for (let i = 0; i < 64; i += 1) {
    const high = ((e >>> 6) | (e << 26)) ^ ((e >>> 11) | (e << 21)) ^ ((e >>> 25) | (e << 7));
    const one = (h + high + (g ^ (e & (f ^ g))) + k[i]! + w[i]!) | 0;
    const low = ((a >>> 2) | (a << 30)) ^ ((a >>> 13) | (a << 19)) ^ ((a >>> 22) | (a << 10));
    const two = (low + ((a & b) | (c & (a | b)))) | 0;
    h = g;
    g = f;
    f = e;
    e = (d + one) | 0;
    d = c;
    c = b;
    b = a;
    a = (one + two) | 0;
  }
  after[0]! += a;
  after[1]! += b;
  after[2]! += c;
  after[3]! += d;
  after[4]! += e;
  after[5]! += f;
  after[6]! += g;
  after[7]! += h;
  return after;
}

/** The first 32 bits of the fractional parts of the cube and square roots of the first primes. */
function prepare(): void {
  if (k.length > 0) return;
  const primes: number[] = [];
  for (let n = 2; primes.length < 64; n += 1) if (primes.every((prime) => n % prime !== 0)) primes.push(n);
  const fraction = (root: number) => ((root % 1) * 2 ** 32) | 0;
  k = Int32Array.from(primes, (prime) => fraction(Math.cbrt(prime)));
  start = Int32Array.from(primes.slice(0, 8), (prime) => fraction(Math.sqrt(prime)));
}
