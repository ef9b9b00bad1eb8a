// Randomises limits per process, so that processes that started together do not reach a limit together.

/** The smallest share of a limit that a process gets. */
export const leastShare = 0.9;

/** 90 % to 100 % of the limit. */
export function randomisedLimit(limit: number): number {
  return limit * (leastShare + (1 - leastShare) * Math.random());
}
