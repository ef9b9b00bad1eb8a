// Which names are those of rotated files, and in which order.
import { symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { olderFiles, olderNames } from '../../../../src/cli/logs/older-files.ts';
import { temporaryDirectory } from '../../../helpers/temporary.ts';

it.each([
  ['dates', ['web.log.2026-11-21T18-20-05Z', 'web.log.2026-11-20T18-20-05Z.gz', 'web.log-20261119'], [0, 1, 2]],
  ['numbers of logrotate, the smallest first', ['web.log.10.gz', 'web.log.2', 'web.log.1'], [2, 1, 0]],
  ['a file that is being compressed, once', ['web.log.2026-11-21.gz', 'web.log.2026-11-21'], [1]],
  ['nothing else', ['web.log', 'web.log.bak', 'web.log.2026-11-21.gz.tmp', 'other.log.1', 'web.logs.1'], []],
])('the older files of a log are recognised and sorted: %s', (_, names, expected) => {
  expect(olderNames('web.log', names)).toEqual(expected.map((index) => names[index]));
});

it('a symbolic link is not an older file, whatever its target', () => {
  const directory = temporaryDirectory();
  const log = join(directory, 'app.log');
  writeFileSync(`${log}.1`, '');
  symlinkSync(`${log}.2`, `${log}.2`);
  symlinkSync('/dev/zero', `${log}.3.gz`);
  expect(olderFiles(log)).toEqual([`${log}.1`]);
});

it.each([
  ['dates', 2, 1, ['.2026-11-21', '.1', '.2']],
  ['numbers', 1, 2, ['.1', '.2', '.2026-11-21']],
])('the older files of a log that is now rotated in another way come last: %s', (_, dated, numbered, expected) => {
  const log = join(temporaryDirectory(), 'app.log');
  for (const [name, time] of [
    ['.2026-11-21', dated],
    ['.1', numbered],
    ['.2', 0],
  ] as const) {
    writeFileSync(log + name, '');
    utimesSync(log + name, time, time);
  }
  expect(olderFiles(log)).toEqual(expected.map((suffix) => log + suffix));
});
