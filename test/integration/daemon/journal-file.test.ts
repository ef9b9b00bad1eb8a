// The file of the journal on a real disk, with what can happen to it.
import { existsSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { beforeEach, describe, expect, it } from 'vitest';
import { createJournalFile, type JournalFileOptions } from '../../../src/daemon/upkeep/journal-file.ts';
import { temporaryHomeForEach } from '../../helpers/temporary-home.ts';

const home = temporaryHomeForEach();
let file: string;

beforeEach(() => {
  file = home.paths.events;
});

const journal = (options: Partial<JournalFileOptions> = {}) =>
  createJournalFile(file, { mayWrite: () => true, renderLoss: (count) => `lost ${count}\n`, ...options });

describe('the file of the journal', () => {
  it('can be read by its owner only', () => {
    const { append, end } = journal();
    append(['one\n', 'two\n']);
    const { mode, ino, size } = statSync(file);
    expect(mode & 0o777).toBe(0o600);
    expect(end()).toEqual({ file: ino, bytes: size });
    expect(readFileSync(file, 'utf8')).toBe('one\ntwo\n');
  });

  it('is renamed when it is full, and never exceeds its limit', () => {
    const { append } = journal({ limit: 100 });
    for (let line = 0; line < 50; line += 1) append([`line ${line}\n`]);
    const [older, current] = [`${file}.1`, file].map((name) => readFileSync(name, 'utf8'));
    expect(older!.length).toBeLessThanOrEqual(100);
    expect(current!.length).toBeLessThanOrEqual(100);
    const numbers = `${older}${current}`.match(/\d+/g)!.map(Number);
    expect(numbers).toEqual(numbers.map((_, index) => 50 - numbers.length + index));
  });

  it('begins a new line after one that was cut off', () => {
    writeFileSync(file, 'one\ntw');
    journal().append(['three\n']);
    expect(readFileSync(file, 'utf8')).toBe('one\ntw\nthree\n');
  });

  it('records how many lines are missing once the disk has room again', () => {
    symlinkSync('/dev/full', file);
    const { append } = journal();
    append(['one\n', 'two\n']);
    append(['three\n']);
    rmSync(file);
    append(['four\n']);
    append(['five\n']);
    expect(readFileSync(file, 'utf8')).toBe('lost 3\nfour\nfive\n');
  });

  it('is created again after it was removed', () => {
    const { append, end } = journal();
    append(['one\n']);
    rmSync(file);
    expect(end()).toEqual({ file: 0, bytes: 0 });
    append(['two\n']);
    expect(readFileSync(file, 'utf8')).toBe('two\n');
  });

  it('is not written in a home that the daemon no longer owns', () => {
    journal({ mayWrite: () => false }).append(['one\n']);
    expect(existsSync(file)).toBe(false);
  });
});
