// The reading and following of one log file. A follower is asked for more by hand, so nothing waits for time to pass.
import {
  appendFileSync,
  closeSync,
  mkdtempSync,
  openSync,
  renameSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Follower } from '../../src/cli/logs/follower.ts';
import { lastLines } from '../../src/cli/logs/last-lines.ts';

let folder: string;
let file: string;
const opened: Follower[] = [];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'nsv-logs-'));
  file = join(folder, 'web-0-out.log');
});

afterEach(() => {
  for (const follower of opened.splice(0)) follower.close();
  rmSync(folder, { recursive: true });
});

function following(path = file): Follower {
  const follower = new Follower(path);
  opened.push(follower);
  return follower;
}

const numbered = (count: number) => Array.from({ length: count }, (_, index) => `line ${index}`);

describe('the last lines of a file', () => {
  it.each([
    ['fewer than there are', 3, ['line 97', 'line 98', 'line 99']],
    ['as many as there are', 100, numbered(100)],
    ['more than there are', 200, numbered(100)],
    ['none', 0, []],
  ])('%s', (_, count, expected) => {
    writeFileSync(file, `${numbered(100).join('\n')}\n`);
    expect(following().last(count)).toEqual(expected);
  });

  it('are whole though they lie across blocks and have letters of several bytes', () => {
    const long = Array.from({ length: 40 }, (_, index) => `${index}${'ü€'.repeat(2_000)}`);
    writeFileSync(file, `${long.join('\n')}\n`);
    expect(following().last(30)).toEqual(long.slice(-30));
  });

  it('are none of an empty file, nor of one that is not there', () => {
    writeFileSync(file, '');
    expect(following().last(15)).toEqual([]);
    expect(following(join(folder, 'absent')).last(15)).toEqual([]);
  });

  it('are there at once in a file of ten gigabytes, of which little is read', () => {
    writeFileSync(file, '');
    truncateSync(file, 10 * 1024 ** 3);
    appendFileSync(file, '\nfirst\nlast\n');
    const before = process.memoryUsage().rss;
    expect(following().last(2)).toEqual(['first', 'last']);
    expect(following().last(1_000).slice(-2)).toEqual(['first', 'last']);
    expect(process.memoryUsage().rss - before).toBeLessThan(200 * 1024 ** 2);
  });

  it('are looked for no further back than a bound when there are no line breaks', () => {
    writeFileSync(file, '');
    truncateSync(file, 1024 ** 3);
    const fd = openSync(file, 'r');
    expect(lastLines(fd, 1024 ** 3, 15).rest.length).toBeLessThan(1024 ** 2);
    expect(lastLines(fd, 1024 ** 3, 1_000_000).rest.length).toBeLessThanOrEqual(64 * 1024 ** 2);
    closeSync(fd);
  });
});

describe('a followed file', () => {
  it('gives what is appended, once', () => {
    writeFileSync(file, 'old\n');
    const follower = following();
    expect(follower.last(15)).toEqual(['old']);
    expect(follower.more()).toEqual([]);
    appendFileSync(file, 'a\nb\n');
    expect(follower.more()).toEqual(['a', 'b']);
    expect(follower.more()).toEqual([]);
  });

  it('gives a line when its end is written', () => {
    writeFileSync(file, 'old\nbeg');
    const follower = following();
    expect(follower.last(15)).toEqual(['old']);
    appendFileSync(file, 'in');
    expect(follower.more()).toEqual([]);
    appendFileSync(file, 'ning\nnext');
    expect(follower.more()).toEqual(['beginning']);
    expect(follower.close()).toEqual(['next']);
  });

  it('puts a letter together whose bytes came apart', () => {
    writeFileSync(file, '');
    const follower = following();
    const [head, ...tail] = Buffer.from('€\n');
    appendFileSync(file, Buffer.from([head!]));
    expect(follower.more()).toEqual([]);
    appendFileSync(file, Buffer.from(tail));
    expect(follower.more()).toEqual(['€']);
  });

  it('is read from its beginning after it was emptied', () => {
    writeFileSync(file, 'a long line that is there\n');
    const follower = following();
    follower.last(15);
    truncateSync(file, 0);
    appendFileSync(file, 'new\n');
    expect(follower.more()).toEqual(['new']);
  });

  it('loses nothing when it is renamed and made anew', () => {
    writeFileSync(file, 'old\n');
    const follower = following();
    follower.last(15);
    appendFileSync(file, 'before the rename\nunfini');
    renameSync(file, `${file}.1`);
    appendFileSync(`${file}.1`, 'shed');
    writeFileSync(file, 'after\n');
    expect(follower.more()).toEqual(['before the rename', 'unfinished', 'after']);
    appendFileSync(file, 'more\n');
    expect(follower.more()).toEqual(['more']);
  });

  it('is followed on while nothing has taken its place', () => {
    writeFileSync(file, '');
    const follower = following();
    renameSync(file, `${file}.1`);
    appendFileSync(`${file}.1`, 'still here\n');
    expect(follower.more()).toEqual(['still here']);
    expect(follower.more()).toEqual([]);
  });

  it('is read to its end after it was deleted, and from the beginning when it is made anew', () => {
    writeFileSync(file, 'old\n');
    const writer = openSync(file, 'a');
    const follower = following();
    follower.last(15);
    rmSync(file);
    appendFileSync(writer, 'nameless\n');
    expect(follower.more()).toEqual(['nameless']);
    appendFileSync(writer, 'last words\n');
    closeSync(writer);
    writeFileSync(file, 'new\n');
    expect(follower.more()).toEqual(['last words', 'new']);
  });

  it('may come later', () => {
    const follower = following();
    expect(follower.last(15)).toEqual([]);
    expect(follower.more()).toEqual([]);
    writeFileSync(file, 'first\n');
    expect(follower.more()).toEqual(['first']);
  });

  it('that has grown by much is handed on in bounded parts, whole and in order', () => {
    writeFileSync(file, '');
    const follower = following();
    const lines = Array.from({ length: 100_000 }, (_, index) => `${index} ${'x'.repeat(80)}`);
    appendFileSync(file, `${lines.join('\n')}\n`);
    renameSync(file, `${file}.1`);
    writeFileSync(file, 'the next file\n');
    const first = follower.more();
    expect(first.length).toBeLessThan(lines.length);
    const seen = [...first];
    for (let part = follower.more(); part.length > 0; part = follower.more()) seen.push(...part);
    expect(seen).toEqual([...lines, 'the next file']);
  });

  it('with an endless line is handed on in pieces', () => {
    writeFileSync(file, '');
    const follower = following();
    appendFileSync(file, 'x'.repeat(3 * 1024 ** 2));
    expect(follower.more().length).toBeGreaterThan(1);
  });
});
