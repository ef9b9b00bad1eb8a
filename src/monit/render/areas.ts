// The number of rows of each part of the screen.
import type { Model } from '../model.ts';

/** The sum is the height of the terminal, however small it is: the least important parts are dropped first. */
export function areasOf(model: Pick<Model, 'size' | 'processes' | 'queues'>) {
  const { processes, queues } = model;
  const { rows } = model.size;
  const fixed = {
    /** The total usage of all processes. */
    summary: rows >= 10 ? 1 : 0,
    /** The column titles. */
    head: rows >= 5 ? 1 : 0,
    /** What is to be done in queues. */
    queues: rows >= 12 && queues.length > 0 ? 1 : 0,
    details: rows >= 16 ? 3 : 0,
    /** The line above the logs. */
    rule: rows >= 4 ? 1 : 0,
    footer: 1,
  };
  const free = rows - Object.values(fixed).reduce((sum, each) => sum + each, 0);
  const list = Math.min(Math.max(1, processes.length), Math.max(1, Math.floor(free * 0.45)), Math.max(0, free));
  return { ...fixed, list, logs: Math.max(0, free - list) };
}
