/** What it has found; `problems` is empty if all is as it should be. Needs root, `ip` and Redis. */
export function rate(options?: {
  tasks?: number;
  max?: number;
  per?: number;
  ms?: number;
  cutFor?: number;
}): Promise<{ problems: string[] }>;
