// What `nsv logs` reads of a log that is rotated: before it looks, and again and again while a program writes without a pause.
import { type ChildProcess, spawn } from 'node:child_process';
import {
  appendFileSync,
  copyFileSync,
  existsSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { LogReader } from '../../../src/cli/logs/reader.ts';
import { directoryForEach } from '../../helpers/directory.ts';
import { eventually } from '../../helpers/eventually.ts';
import { fieldsOfStat } from '../../helpers/nsv.ts';
import { bytesRead, endChild } from '../../helpers/proc.ts';

const at = directoryForEach();
let file: string;

beforeEach(() => {
  file = at('web-0-out.log');
});

const rotated = (number: number) => `${file}.2026-11-21T10-00-${String(number).padStart(2, '0')}Z`;
const start = Date.UTC(2026, 10, 21, 10);
const timed = (from: number, count: number) =>
  Array.from(
    { length: count },
    (_, index) => `${new Date(start + (from + index) * 1_000).toISOString()} ${from + index}`,
  );
const text = (lines: string[]) => lines.map((line) => `${line}\n`).join('');

async function reading(past: { lines?: number; since?: number }): Promise<{ reader: LogReader; isTimed: boolean }> {
  const reader = new LogReader(file);
  const isTimed = await reader.begin({ lines: past.lines, linesUntimed: 2, since: past.since });
  return { reader, isTimed };
}

async function more(reader: LogReader): Promise<string[]> {
  const seen: string[] = [];
  reader.look();
  for (let lines = await reader.next(); lines; lines = await reader.next()) seen.push(...lines.map(String));
  return seen;
}

async function shown(past: { lines?: number; since?: number }): Promise<string[]> {
  const { reader } = await reading(past);
  const lines = await more(reader);
  reader.close();
  return lines;
}

describe('a log that was rotated before', () => {
  const all = timed(0, 3_000);

  beforeEach(() => {
    writeFileSync(rotated(1), text(all.slice(0, 1_000)));
    writeFileSync(`${rotated(2)}.gz`, gzipSync(text(all.slice(1_000, 2_000))));
    writeFileSync(file, text(all.slice(2_000)));
  });

  it.each([0, 10, 1_000, 1_001, 1_500, 2_500, 3_000, 5_000])('gives its last %i lines', async (lines) => {
    expect(await shown({ lines })).toEqual(lines === 0 ? [] : all.slice(-lines));
  });

  it.each([0, 1, 999, 1_000, 1_500, 1_999, 2_000, 2_001, 2_999, 3_000])('gives its lines since %i', async (since) => {
    expect(await shown({ since: start + since * 1_000 })).toEqual(all.slice(since));
  });

  it('gives the lines since a moment, but no more than requested', async () => {
    expect(await shown({ since: start + 1_500_000, lines: 10 })).toEqual(all.slice(-10));
    expect(await shown({ since: start + 2_995_000, lines: 10 })).toEqual(all.slice(-5));
  });

  it('is not read further back than a file last written before that moment', async () => {
    writeFileSync(rotated(1), text(timed(5_000, 1)));
    utimesSync(rotated(1), start / 1_000, start / 1_000);
    expect(await shown({ since: start + 500_000 })).toEqual(all.slice(1_000));
  });

  it('is read as far as possible when a compressed file is damaged', async () => {
    writeFileSync(`${rotated(2)}.gz`, 'no gzip');
    expect((await shown({ lines: 1_010 })).slice(-1_000)).toEqual(all.slice(2_000));
  });
});

describe('lines since a moment', () => {
  it('are found in a large file by reading little of it', { tags: 'full' }, async () => {
    const all = timed(0, 300_000);
    writeFileSync(file, text(all));
    const before = bytesRead();
    const { reader } = await reading({ since: start + 299_990_000 });
    expect(await more(reader)).toEqual(all.slice(-10));
    expect(bytesRead() - before).toBeLessThan(statSync(file).size / 5);
    reader.close();
  });

  it('include untimed lines that follow a timed one', async () => {
    const lines = timed(0, 5_000).flatMap((line) => [line, '    at trace']);
    writeFileSync(file, text(lines));
    expect(await shown({ since: start + 2_500_000 })).toEqual(lines.slice(5_000));
  });

  it('are the last ones, reported as untimed, of a newer file without times', async () => {
    writeFileSync(file, text(['a', 'b', 'c']));
    const { reader, isTimed } = await reading({ since: start });
    expect([isTimed, await more(reader)]).toEqual([false, ['b', 'c']]);
    reader.close();
    utimesSync(file, start / 1_000, start / 1_000);
    const before = await reading({ since: start + 1_000 });
    expect([before.isTimed, await more(before.reader)]).toEqual([true, []]);
    before.reader.close();
  });
});

describe('a log that is rotated between two reads', () => {
  const followed = async () => {
    writeFileSync(file, text(['old']));
    const { reader } = await reading({ lines: 15 });
    expect(await more(reader)).toEqual(['old']);
    return reader;
  };
  const turn = (number: number) => {
    copyFileSync(file, rotated(number));
    truncateSync(file);
  };

  it('is continued in the copy, even if the log has outgrown it since', async () => {
    const reader = await followed();
    appendFileSync(file, text(['a']));
    turn(1);
    appendFileSync(file, text(['b', 'much more than there was before']));
    expect(await more(reader)).toEqual(['a', 'b', 'much more than there was before']);
    reader.close();
  });

  it('may be rotated several times, and compressed', async () => {
    const reader = await followed();
    appendFileSync(file, text(['a']));
    turn(1);
    appendFileSync(file, text(['b']));
    turn(2);
    appendFileSync(file, text(['c']));
    for (const number of [1, 2]) {
      writeFileSync(`${rotated(number)}.gz`, gzipSync(readFileSync(rotated(number))));
      rmSync(rotated(number));
    }
    expect(await more(reader)).toEqual(['a', 'b', 'c']);
    reader.close();
  });

  it('is not read twice while the copy is being made', async () => {
    const reader = await followed();
    appendFileSync(file, text(['a']));
    copyFileSync(file, rotated(1));
    expect(await more(reader)).toEqual(['a']);
    appendFileSync(file, text(['b']));
    copyFileSync(file, rotated(1));
    truncateSync(file);
    expect(await more(reader)).toEqual(['b']);
    reader.close();
  });

  it('is distinguished from its copies by time when a program always prints the same', async () => {
    const turnAlike = (ms: number) => {
      copyFileSync(file, `${file}.2026-11-21T10-00-00-00${ms}Z`);
      truncateSync(file);
      appendFileSync(file, text(Array(30).fill('tick')));
      const later = Date.now() / 1_000 + ms;
      utimesSync(file, later, later);
    };
    writeFileSync(file, text(Array(20).fill('tick')));
    turnAlike(1);
    const { reader } = await reading({ lines: 100 });
    expect(await more(reader)).toHaveLength(20 + 30);
    appendFileSync(file, text(['tick']));
    turnAlike(2);
    expect(await more(reader)).toHaveLength(1 + 30);
    reader.close();
  });

  it('keeps a line together that the rotation has cut', async () => {
    const reader = await followed();
    appendFileSync(file, 'beg');
    expect(await more(reader)).toEqual([]);
    turn(1);
    appendFileSync(file, 'inning\n');
    expect(await more(reader)).toEqual(['beginning']);
    reader.close();
  });

  it('is followed through several renames', async () => {
    const reader = await followed();
    for (const number of [1, 2, 3]) {
      appendFileSync(file, text([`${number}`]));
      renameSync(file, rotated(number));
    }
    writeFileSync(file, text(['4']));
    expect(await more(reader)).toEqual(['1', '2', '3', '4']);
    reader.close();
  });
});

describe('the output of a program that writes without a pause', () => {
  /** Numbered lines; opens its log anew on SIGUSR2. */
  const source = `const fs = require('fs'); let n = 0; const open = () => fs.openSync(process.argv[1], 'a'); let fd = open();
    process.on('SIGUSR2', () => { fs.closeSync(fd); fd = open(); });
    (function go() { for (let i = 0; i < 10; i += 1) fs.writeSync(fd, n++ + '\\n'); if (n < 2e6) setImmediate(go); })();
    setInterval(() => {}, 1e6);`;
  let writer: ChildProcess;

  beforeEach(async () => {
    writer = spawn(process.execPath, ['-e', source, file], { stdio: 'ignore' });
    await eventually(() => existsSync(file) && readFileSync(file, 'utf8').length > 1_000);
  });

  afterEach(() => endChild(writer));

  async function copied(number: number): Promise<void> {
    writer.kill('SIGSTOP');
    await eventually(() => fieldsOfStat(writer.pid!)[0] === 'T');
    copyFileSync(file, rotated(number));
    truncateSync(file);
    writer.kill('SIGCONT');
  }

  async function renamed(number: number): Promise<void> {
    renameSync(file, rotated(number));
    writer.kill('SIGUSR2');
    await eventually(() => existsSync(file));
  }

  it.each([
    ['copying', copied],
    ['renaming', renamed],
  ])('is shown completely, each line once, through twenty rotations by %s', async (_, rotate) => {
    const reader = new LogReader(file);
    await reader.begin({ lines: 1_000_000, linesUntimed: 0, since: undefined });
    let seen: string[] = [];
    for (let number = 1; number <= 20; number += 1) {
      await eventually(() => existsSync(file) && readFileSync(file).length > 500);
      // Each third rotation finds nobody looking.
      if (number % 3 > 0) seen = seen.concat(await more(reader));
      await rotate(number);
    }
    await endChild(writer);
    seen = seen.concat(await more(reader));
    reader.close();
    const last = Number(readFileSync(file, 'utf8').trim().split('\n').at(-1));
    expect(seen.findIndex((line, index) => line !== `${index}`)).toBe(-1);
    expect(seen.length).toBeGreaterThanOrEqual(last);
  });
});
