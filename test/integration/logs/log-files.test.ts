// The reading and following of one log file. A reader is asked for more by hand, so nothing waits for time to pass.
import { appendFileSync, closeSync, openSync, renameSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { LogReader } from '../../../src/cli/logs/reader.ts';
import { directoryForEach } from '../../helpers/directory.ts';
import { bytesRead } from '../../helpers/proc.ts';

const at = directoryForEach();
let file: string;
const opened: LogReader[] = [];

beforeEach(() => {
  file = at('web-0-out.log');
});

afterEach(() => {
  for (const reader of opened.splice(0)) reader.close();
});

interface Following {
  /** What there is now. */
  more(): Promise<string[]>;
  close(): string[];
}

async function following(lines = 15, path = file): Promise<Following> {
  const reader = new LogReader(path);
  opened.push(reader);
  await reader.begin({ lines, linesUntimed: lines, since: undefined });
  return {
    async more() {
      const seen: string[] = [];
      reader.look();
      for (let some = await reader.next(); some; some = await reader.next()) seen.push(...some.map(String));
      return seen;
    },
    close: () => reader.close().map(String),
  };
}

const numbered = (count: number) => Array.from({ length: count }, (_, index) => `line ${index}`);

describe('the last lines of a file', () => {
  it.each([
    ['fewer than there are', 3, ['line 97', 'line 98', 'line 99']],
    ['as many as there are', 100, numbered(100)],
    ['more than there are', 200, numbered(100)],
    ['none', 0, []],
  ])('are given when asked for %s', async (_, count, expected) => {
    writeFileSync(file, `${numbered(100).join('\n')}\n`);
    expect(await (await following(count)).more()).toEqual(expected);
  });

  it('end where the file did when it was opened, also after another has taken its place', async () => {
    writeFileSync(file, 'one\ntwo\n');
    const follower = await following(1);
    appendFileSync(file, 'three\n');
    renameSync(file, `${file}.1`);
    writeFileSync(file, 'four\n');
    expect(await follower.more()).toEqual(['two']);
    expect(await follower.more()).toEqual(['three', 'four']);
  });

  it('are complete across blocks and multibyte characters', async () => {
    const long = Array.from({ length: 40 }, (_, index) => `${index}${'ü€'.repeat(2_000)}`);
    writeFileSync(file, `${long.join('\n')}\n`);
    expect(await (await following(30)).more()).toEqual(long.slice(-30));
  });

  it('are none for an empty or a missing file', async () => {
    writeFileSync(file, '');
    expect(await (await following()).more()).toEqual([]);
    expect(await (await following(15, at('absent'))).more()).toEqual([]);
  });

  it('are found in a file of ten gigabytes by reading little of it', { tags: 'full' }, async () => {
    writeFileSync(file, '');
    truncateSync(file, 10 * 1024 ** 3);
    appendFileSync(file, '\nfirst\nlast\n');
    const before = bytesRead();
    expect(await (await following(2)).more()).toEqual(['first', 'last']);
    expect(bytesRead() - before).toBeLessThan(1024 ** 2);
    expect((await (await following(1_000)).more()).slice(-2)).toEqual(['first', 'last']);
    expect(bytesRead() - before).toBeLessThan(100 * 1024 ** 2);
  });

  it('are complete with a line of ten megabytes', async () => {
    const long = 'x'.repeat(10 * 1024 ** 2);
    writeFileSync(file, `first\n${long}\nlast\n`);
    expect((await (await following(2)).more()).map((line) => line.length)).toEqual([long.length, 4]);
  });
});

describe('a followed file', () => {
  it('gives appended lines once', async () => {
    writeFileSync(file, 'old\n');
    const follower = await following();
    expect(await follower.more()).toEqual(['old']);
    expect(await follower.more()).toEqual([]);
    appendFileSync(file, 'a\nb\n');
    expect(await follower.more()).toEqual(['a', 'b']);
    expect(await follower.more()).toEqual([]);
  });

  it('gives a line when its end is written', async () => {
    writeFileSync(file, 'old\nbeg');
    const follower = await following();
    expect(await follower.more()).toEqual(['old']);
    appendFileSync(file, 'in');
    expect(await follower.more()).toEqual([]);
    appendFileSync(file, 'ning\nnext');
    expect(await follower.more()).toEqual(['beginning']);
    expect(follower.close()).toEqual(['next']);
  });

  it('joins a character whose bytes arrive separately', async () => {
    writeFileSync(file, '');
    const follower = await following();
    const [head, ...tail] = Buffer.from('€\n');
    appendFileSync(file, Buffer.from([head!]));
    expect(await follower.more()).toEqual([]);
    appendFileSync(file, Buffer.from(tail));
    expect(await follower.more()).toEqual(['€']);
  });

  it('is read from its beginning after it was emptied', async () => {
    writeFileSync(file, 'a long line that is there\n');
    const follower = await following();
    await follower.more();
    truncateSync(file, 0);
    appendFileSync(file, 'new\n');
    expect(await follower.more()).toEqual(['new']);
  });

  it('loses nothing when it is renamed and created again', async () => {
    writeFileSync(file, 'old\n');
    const follower = await following();
    await follower.more();
    appendFileSync(file, 'before the rename\nunfini');
    renameSync(file, `${file}.1`);
    appendFileSync(`${file}.1`, 'shed');
    writeFileSync(file, 'after\n');
    expect(await follower.more()).toEqual(['before the rename', 'after']);
    appendFileSync(file, 'more\n');
    appendFileSync(`${file}.1`, ' by who does not know yet\nnever finished');
    expect(await follower.more()).toEqual(['unfinished by who does not know yet', 'more']);
    expect(await follower.more()).toEqual([]);
    expect(await follower.more()).toEqual(['never finished']);
  });

  it('is still followed under its new name while no other file has taken its place', async () => {
    writeFileSync(file, '');
    const follower = await following();
    await follower.more();
    renameSync(file, `${file}.1`);
    appendFileSync(`${file}.1`, 'still here\n');
    expect(await follower.more()).toEqual(['still here']);
    expect(await follower.more()).toEqual([]);
  });

  it('is read to its end after it was deleted, and from the beginning when it is created again', async () => {
    writeFileSync(file, 'old\n');
    const writer = openSync(file, 'a');
    const follower = await following();
    await follower.more();
    rmSync(file);
    appendFileSync(writer, 'nameless\n');
    expect(await follower.more()).toEqual(['nameless']);
    appendFileSync(writer, 'last words\n');
    closeSync(writer);
    writeFileSync(file, 'new\n');
    expect(await follower.more()).toEqual(['last words', 'new']);
  });

  it('may be created later', async () => {
    const follower = await following();
    expect(await follower.more()).toEqual([]);
    expect(await follower.more()).toEqual([]);
    writeFileSync(file, 'first\n');
    expect(await follower.more()).toEqual(['first']);
  });

  it('is read completely and in order after it has grown a lot', { tags: 'full' }, async () => {
    writeFileSync(file, '');
    const follower = await following();
    await follower.more();
    const lines = Array.from({ length: 100_000 }, (_, index) => `${index} ${'x'.repeat(80)}`);
    appendFileSync(file, `${lines.join('\n')}\n`);
    renameSync(file, `${file}.1`);
    writeFileSync(file, 'the next file\n');
    expect(await follower.more()).toEqual([...lines, 'the next file']);
  });

  it('gives an endless line in pieces', { tags: 'full' }, async () => {
    writeFileSync(file, '');
    const follower = await following();
    await follower.more();
    truncateSync(file, 80 * 1024 ** 2);
    expect((await follower.more()).length).toBeGreaterThan(1);
  });
});
