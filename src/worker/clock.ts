/** Saved, because an app may replace it, for example with fake timers. */
const { bigint } = process.hrtime;

/** Monotonic milliseconds. Not performance.monotonicNow(): its first use loads ten modules of Node, which is 170 KB in every app. */
export function monotonicNow(): number {
  return Number(bigint()) / 1e6;
}
