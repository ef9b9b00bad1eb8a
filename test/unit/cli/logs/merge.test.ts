// The order of lines that come from several logs.
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

it('is that of their times, whatever comes together', async () => {
  const web = log([at(1, 'a'), at(4, 'd')], [], [at(5, 'e')]);
  const api = log([at(2, 'b')], [at(3, 'c'), at(6, 'f')]);
  expect(await merged(web, api)).toEqual(['a', 'b', 'c', 'd', 'e', 'f']);
});

it('is that of the logs where times are equal', async () => {
  expect(await merged(log([at(1, 'a'), at(2, 'c')]), log([at(1, 'b'), at(2, 'd')]))).toEqual(['a', 'b', 'c', 'd']);
});

it('keeps a line without a time behind the one before it, also when it comes later', async () => {
  const web = log([at(1, 'a')], ['  at a'], [at(3, 'c')]);
  expect(await merged(web, log([at(2, 'b')]))).toEqual(['a', '  at a', 'b', 'c']);
});

it('is one log after another where there are no times, before those with times', async () => {
  expect(await merged(log([at(1, 'x')]), log(['a', 'b'], ['c']), log(['d']))).toEqual(['a', 'b', 'c', 'd', 'x']);
});

it('never changes within a log, though its times do not ascend', async () => {
  const web = log([at(5, 'a'), at(1, 'b')]);
  expect(await merged(web, log([at(3, 'x')]))).toEqual(['x', 'a', 'b']);
});

it('gives lines before the first time that time', () => {
  const [first, second] = timesOf(bytes(['  at a', at(1, 'b')]));
  expect(first).toBe(second);
  expect(timesOf(bytes(['  at a']), 5)).toEqual([5]);
  expect(timesOf(bytes(['a']))).toEqual([Number.NEGATIVE_INFINITY]);
});
