/** What it has found; `problems` is empty if all is as it should be. */
export function chaos(options?: {
  store?: string;
  tasks?: number;
  processes?: number;
  concurrency?: number;
  ms?: number;
}): Promise<{ problems: string[]; counts: Record<string, number | boolean>; kills: number }>;
