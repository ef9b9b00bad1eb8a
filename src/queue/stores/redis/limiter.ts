// A limit, as BullMQ can keep it. Pure.

/**
 * BullMQ counts in windows: the first task begins one of `duration` milliseconds, within which `max` may begin. One window of `per` with all of
 * `max` would not do: twice as many could begin around the end of it. So there are more and smaller ones, never nearer to each other than
 * `duration`, and any span of `per` touches at most one more than fit into it. Where each has one task only, it is that task's beginning, and no
 * span touches more than fit.
 */
export function limiterOf({ max, per }: { max: number; per: number }): { max: number; duration: number } {
  const inEach = Math.max(1, Math.floor(max / 10));
  const windows = inEach === 1 ? max : Math.floor(max / inEach) - 1;
  return { max: inEach, duration: Math.ceil(per / windows) };
}
