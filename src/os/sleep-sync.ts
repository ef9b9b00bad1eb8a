// A pause of the whole process.

const lap = new Int32Array(new SharedArrayBuffer(4));

/** Milliseconds, or parts of one. Nothing of this process goes on meanwhile, not even what is due. */
export function sleepSync(ms: number): void {
  Atomics.wait(lap, 0, 0, ms);
}
