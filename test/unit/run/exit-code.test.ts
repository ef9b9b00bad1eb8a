import { constants } from 'node:os';
import { describe, expect, it } from 'vitest';
import { codeAfterStop, codeOfApp, codeOfExit, type Ended, verdictOf } from '../../../src/run/exit-code.ts';

const ended = (code: number | null, rest: Partial<Ended> = {}): Ended => ({
  lastExit: code === null ? null : { code, signal: null },
  isOver: code !== null,
  unexecutable: undefined,
  gaveUp: false,
  isLeft: false,
  ...rest,
});

describe('the exit code of a process', () => {
  it.each(Array.from({ length: 256 }, (_, code) => code))('%d is unchanged', (code) => {
    expect(codeOfExit({ code, signal: null })).toBe(code);
  });

  it.each(Object.entries(constants.signals))('%s is 128 + %d', (signal, number) => {
    expect(codeOfExit({ code: null, signal: signal as NodeJS.Signals })).toBe(128 + number);
  });
});

describe('the exit code of an app', () => {
  it.each<[string, Ended[], number | undefined]>([
    ['that of its process', [ended(7)], 7],
    ['0 when all ended with 0', [ended(0), ended(0)], 0],
    ['the first other than 0', [ended(0), ended(3), ended(4)], 3],
    ['unknown when none has run', [ended(null)], undefined],
    ['unknown when one has still to run', [ended(0), ended(null)], undefined],
    ['unknown when it is to run again after an end with 0', [ended(0, { isOver: false })], undefined],
    ['that of the last failure when it is to run again', [ended(4, { isOver: false })], 4],
    ['the last one after giving up', [ended(5, { gaveUp: true })], 5],
    ['1 after giving up on ends with 0', [ended(0, { gaveUp: true })], 1],
    ['that of a kill when time is up', [ended(0, { isLeft: true })], 137],
    ['that of a shell when it could not be executed', [ended(5, { unexecutable: 126, gaveUp: true })], 126],
  ])('is %s', (_title, processes, code) => {
    expect(codeOfApp(processes)).toBe(code);
  });
});

describe('--exit-on', () => {
  const names = ['web', 'worker'];
  it.each<[string, [string, number][], number | undefined]>([
    ['all', [['web', 0]], undefined],
    ['all', [['web', 0], ['worker', 0]], 0], // biome-ignore format: a table
    ['all', [['worker', 3], ['web', 4]], 3], // biome-ignore format: a table
    ['any', [], undefined],
    ['any', [['worker', 0]], 0],
    ['first-failure', [['web', 0]], undefined],
    ['first-failure', [['web', 2]], 2],
    ['first-failure', [['web', 0], ['worker', 0]], 0], // biome-ignore format: a table
    ['web', [['worker', 1]], undefined],
    ['web', [['web', 0]], 0],
  ])('gives the exit code: %s, after %j, is %s', (exitOn, finished, code) => {
    expect(verdictOf(exitOn, new Map(finished), names)).toBe(code);
  });

  it('falls back to the remaining apps if the named one was deleted', () => {
    expect(verdictOf('web', new Map([['worker', 3]]), ['worker'])).toBe(3);
  });

  it.each<[string, [string, number | undefined][], number]>([
    ['web', [['web', 0], ['worker', 7]], 0], // biome-ignore format: a table
    ['web', [['web', undefined], ['worker', 0]], 130], // biome-ignore format: a table
    ['web', [['worker', 7]], 7],
    ['all', [['web', 0], ['worker', 7]], 7], // biome-ignore format: a table
    ['all', [['web', undefined], ['worker', 7]], 7], // biome-ignore format: a table
    ['all', [['web', 0], ['worker', undefined]], 130], // biome-ignore format: a table
    ['all', [['web', 0], ['worker', 0]], 0], // biome-ignore format: a table
    ['all', [], 130],
  ])('gives the exit code after SIGINT: %s, with %j, is %d', (exitOn, codes, code) => {
    expect(codeAfterStop(exitOn, new Map(codes), 'SIGINT')).toBe(code);
  });
});
