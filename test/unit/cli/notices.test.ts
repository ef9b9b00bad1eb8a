import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, it } from 'vitest';
import { newNotices, rememberNotices } from '../../../src/cli/notices.ts';
import { homePaths } from '../../../src/shared/paths.ts';
import { temporaryDirectory } from '../../helpers/temporary.ts';

let directory: string;
const paths = () => homePaths(join(directory));
const made = (file: string, ...notices: string[]) => {
  const fresh = newNotices(paths(), file, notices);
  rememberNotices(paths(), file, notices);
  return fresh;
};

beforeEach(() => {
  directory = temporaryDirectory();
});

it('a notice about a file is new once', () => {
  expect(made('/a.json', 'one', 'two')).toEqual(['one', 'two']);
  expect(made('/a.json', 'one', 'two')).toEqual([]);
  expect(made('/a.json', 'two', 'three')).toEqual(['three']);
  expect(made('/b.json', 'one')).toEqual(['one']);
  expect(made('/a.json', 'one')).toEqual(['one']);
});

it('notices about the last 100 files are remembered', () => {
  for (let file = 0; file <= 100; file += 1) made(`/${file}.json`, 'one');
  expect(made('/1.json', 'one')).toEqual([]);
  expect(made('/0.json', 'one')).toEqual(['one']);
});

it('notices are new again if the file cannot be read or written', () => {
  for (const broken of ['', '{}', '[["/a.json"]]', '[null]']) {
    writeFileSync(paths().notices, broken);
    expect(newNotices(paths(), '/a.json', ['one'])).toEqual(['one']);
  }
  made('/a.json', 'one');
  expect(JSON.parse(readFileSync(paths().notices, 'utf8'))).toEqual([['/a.json', ['one']]]);
  rmSync(directory, { recursive: true });
  expect(made('/a.json', 'one')).toEqual(['one']);
  expect(made('/a.json', 'one')).toEqual(['one']);
});
