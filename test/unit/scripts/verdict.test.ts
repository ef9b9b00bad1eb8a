// What a run of the tests amounts to, once each file that failed was run again.
import { describe, expect, it } from 'vitest';
// @ts-expect-error: a script without types
import * as script from '../../../scripts/suite/verdict.mjs';

interface File {
  file: string;
  passed: number;
  skipped: number;
  elsewhere: number;
  failed: { test: string; error: string }[];
}

const { filesToRepeat, verdict } = script as {
  filesToRepeat(result: { files: File[] }): string[];
  verdict(
    first: { files: File[]; errors: string[] },
    repeated: Map<string, File | undefined>,
  ): { lines: string[]; wobbles: string[]; code: number };
};

const passing = (file: string): File => ({ file, passed: 3, skipped: 1, elsewhere: 0, failed: [] });
const failing = (file: string, error = 'Error: no'): File => ({
  ...passing(file),
  passed: 2,
  failed: [{ test: 'group > works', error }],
});
const names = (count: number) => Array.from({ length: count }, (_, index) => `${index}.test.ts`);
const all = (make: (file: string) => File, files: string[]) => new Map(files.map((file) => [file, make(file)]));

describe('the files to run again', () => {
  it('are those that failed', () => {
    expect(filesToRepeat({ files: [passing('a'), failing('b'), passing('c'), failing('d')] })).toEqual(['b', 'd']);
  });

  it('are at most five', () => {
    expect(filesToRepeat({ files: names(5).map((file) => failing(file)) })).toHaveLength(5);
    expect(filesToRepeat({ files: names(6).map((file) => failing(file)) })).toEqual([]);
  });
});

describe('the verdict', () => {
  it('is green when all passed', () => {
    const judged = verdict({ files: [passing('a'), passing('b')], errors: [] }, new Map());
    expect(judged).toEqual({ code: 0, wobbles: [], lines: ['6 passed, 0 failed, 2 skipped'] });
  });

  it('is green when a file passes the second time, with its first error', () => {
    const first = { files: [passing('a'), failing('b', 'Error: one\ntwo')], errors: [] };
    const judged = verdict(first, all(passing, ['b']));
    const wobble = 'wobbled: b > group > works\n  Error: one\n  two';
    expect(judged).toEqual({ code: 0, wobbles: [wobble], lines: [wobble, '6 passed, 0 failed, 2 skipped'] });
  });

  it('is red when a file fails twice, with its last error', () => {
    const judged = verdict({ files: [failing('a', 'first')], errors: [] }, new Map([['a', failing('a', 'second')]]));
    expect(judged).toEqual({
      code: 1,
      wobbles: [],
      lines: ['failed: a > group > works\n  second', '2 passed, 1 failed, 1 skipped'],
    });
  });

  it('is red when vitest could not run a file again', () => {
    expect(verdict({ files: [failing('a')], errors: [] }, new Map([['a', undefined]])).code).toBe(1);
  });

  it('is red when more than five files failed, which are not run again', () => {
    const { code, lines } = verdict({ files: names(6).map((file) => failing(file)), errors: [] }, new Map());
    expect(code).toBe(1);
    expect(lines.slice(-2)).toEqual([
      '6 files failed: more than 5 are not run again',
      '12 passed, 6 failed, 6 skipped',
    ]);
  });

  it('is red after an error that belongs to no file', () => {
    const { code, lines } = verdict({ files: [passing('a')], errors: ['Error: unhandled'] }, new Map());
    expect([code, lines]).toEqual([1, ['failed: Error: unhandled', '3 passed, 1 failed, 1 skipped']]);
  });

  it('counts the tests that belong to another tier', () => {
    const judged = verdict({ files: [{ ...passing('a'), elsewhere: 4 }, passing('b')], errors: [] }, new Map());
    expect(judged.lines).toEqual(['not run: 4 of the other tier', '6 passed, 0 failed, 2 skipped']);
  });

  it('is green when all tests were skipped, as those of test/heavy may be', () => {
    expect(verdict({ files: [{ ...passing('a'), passed: 0 }], errors: [] }, new Map()).code).toBe(0);
  });

  it('is red when there was no test', () => {
    expect(verdict({ files: [], errors: [] }, new Map()).code).toBe(1);
  });
});
