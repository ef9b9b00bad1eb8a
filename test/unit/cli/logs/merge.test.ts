import { expect, it } from 'vitest';
import { Lane, type Lines, merge, timesOf } from '../../../../src/cli/logs/merge.ts';

const bytes = (lines: string[]) => lines.map((line) => Buffer.from(line));
const at = (second: number, text: string) => `2026-11-21T18:20:0${second}Z ${text}`;

/** Each list is what comes at once; between two of them others may have their turn. */
function log(...batches: string[][]): Lane {
  const source: Lines = { next: async () => (batches.length > 0 ? bytes(batches.shift()!) : undefined) };
  return new Lane(source);
}

async function merged(...lanes: Lane[]): Promise<string[]> {
  const seen: string[] = [];
  await merge(
    lanes,
    (_, line) => void seen.push(line.toString().replace(/^\S+Z /, '')),
    async () => {},
  );
  return seen;
}

it('merge orders lines by their times, regardless of the batches they come in', async () => {
  const web = log([at(1, 'a'), at(4, 'd')], [], [at(5, 'e')]);
  const api = log([at(2, 'b')], [at(3, 'c'), at(6, 'f')]);
  expect(await merged(web, api)).toEqual(['a', 'b', 'c', 'd', 'e', 'f']);
});

it('merge orders lines with equal times by log', async () => {
  expect(await merged(log([at(1, 'a'), at(2, 'c')]), log([at(1, 'b'), at(2, 'd')]))).toEqual(['a', 'b', 'c', 'd']);
});

it('merge keeps a line without a time after the line before it, even if it comes later', async () => {
  const web = log([at(1, 'a')], ['  at a'], [at(3, 'c')]);
  expect(await merged(web, log([at(2, 'b')]))).toEqual(['a', '  at a', 'b', 'c']);
});

it('merge puts logs without times one after another, before those with times', async () => {
  expect(await merged(log([at(1, 'x')]), log(['a', 'b'], ['c']), log(['d']))).toEqual(['a', 'b', 'c', 'd', 'x']);
});

it('merge keeps the order within a log, even if its times do not ascend', async () => {
  const web = log([at(5, 'a'), at(1, 'b')]);
  expect(await merged(web, log([at(3, 'x')]))).toEqual(['x', 'a', 'b']);
});

it('timesOf gives the first time to the lines before it', () => {
  const [first, second] = timesOf(bytes(['  at a', at(1, 'b')]));
  expect(first).toBe(second);
  expect(timesOf(bytes(['  at a']), 5)).toEqual([5]);
  expect(timesOf(bytes(['a']))).toEqual([Number.NEGATIVE_INFINITY]);
});
