// How many rows each part of the screen gets.
import type { Model } from '../model.ts';

export interface Areas {
  /** What all processes use together. */
  summary: number;
  /** The names of the columns. */
  head: number;
  list: number;
  details: number;
  /** The line above the logs. */
  rule: number;
  logs: number;
  footer: number;
}

/** Together the rows of the terminal, however few these are: what matters least is left out first. */
export function areasOf({ size: { rows }, processes }: Pick<Model, 'size' | 'processes'>): Areas {
  const fixed = {
    summary: rows >= 10 ? 1 : 0,
    head: rows >= 5 ? 1 : 0,
    details: rows >= 16 ? 3 : 0,
    rule: rows >= 4 ? 1 : 0,
    footer: 1,
  };
  const free = rows - Object.values(fixed).reduce((sum, each) => sum + each, 0);
  const list = Math.min(Math.max(1, processes.length), Math.max(1, Math.floor(free * 0.45)), Math.max(0, free));
  return { ...fixed, list, logs: Math.max(0, free - list) };
}
