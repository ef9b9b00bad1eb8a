// Log lines on their way to the screen.
import { expect, it } from 'vitest';
import { createFeed, legible } from '../../../src/monit/feed.ts';
import { emptyBook, type LogEntry, linesOf, mostLines, withEntries } from '../../../src/monit/log-book.ts';

const source = (file: string) => ({ id: 0, name: 'web', slot: 0, stream: 'out' as const, file });
const age = { isNew: true, startedAt: undefined, changedAt: undefined };

it('log lines keep their order across all files', async () => {
  const received: LogEntry[][] = [];
  const feed = createFeed((entries) => void received.push(entries));
  for (const [file, text] of ['a 1', 'b 2', 'a 3'].map((line) => line.split(' ')))
    feed.emit(source(file!), Buffer.from(text!), age);
  await feed.flush();
  await feed.flush();
  expect(received.map((entries) => entries.map(({ text }) => text))).toEqual([['1', '2', '3']]);
});

it('log lines are left out if they would be dropped at once, but not those of quiet logs', async () => {
  let received: LogEntry[] = [];
  const feed = createFeed((entries) => {
    received = entries;
  });
  feed.emit(source('quiet'), Buffer.from('only'), age);
  for (let line = 1; line <= 10_000; line += 1) feed.emit(source('loud'), Buffer.from(String(line)), age);
  await feed.flush();
  expect(received).toHaveLength(mostLines + 1);
  expect(received.at(0)?.text).toBe('only');
  expect(received.at(-1)?.text).toBe('10000');
});

it.each([
  ['\x1b[31mred\x1b[0m', 'red'],
  ['\x1b]8;;http://x\x07link\x1b]8;;\x07', 'link'],
  ['windows\r', 'windows'],
  ['a\tb', 'a    b'],
  ['x'.repeat(5_000), 'x'.repeat(4_096)],
])('log lines are made legible: %j', (line, text) => {
  expect(legible(Buffer.from(line))).toBe(text);
});

it('log lines are dropped except the last of each file', () => {
  const entries = (file: string, count: number, from = 0) =>
    Array.from({ length: count }, (_, index) => ({ ...source(file), number: from + index, text: '' }));
  const one = withEntries(emptyBook, entries('quiet', 1));
  const book = withEntries(one, entries('loud', mostLines + 50, 1));
  expect(book.all).toHaveLength(mostLines);
  expect(linesOf(book, ['quiet', 'loud', null, 'loud'])).toHaveLength(mostLines + 1);
  expect(one.all).toHaveLength(1);
});
