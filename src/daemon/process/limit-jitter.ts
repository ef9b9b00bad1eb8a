// Processes that were started together are not to reach a limit together: each draws its own.

/** What part of a limit a process has at least. */
export const leastShare = 0.9;

/** From 90 % to 100 % of the limit. */
export function randomisedLimit(limit: number): number {
  return limit * (leastShare + (1 - leastShare) * Math.random());
}
