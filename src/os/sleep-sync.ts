// Pauses the whole process.

const lap = new Int32Array(new SharedArrayBuffer(4));

/** Sleeps for `ms` milliseconds (fractions allowed) and blocks the event loop, so no timer fires meanwhile. */
export function sleepSync(ms: number): void {
  Atomics.wait(lap, 0, 0, ms);
}
