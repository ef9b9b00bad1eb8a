import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { newRemarks, rememberRemarks } from '../../../src/cli/remarks.ts';
import { homePaths } from '../../../src/shared/paths.ts';

let directory: string;
const paths = () => homePaths(join(directory));
const made = (file: string, ...remarks: string[]) => {
  const fresh = newRemarks(paths(), file, remarks);
  rememberRemarks(paths(), file, remarks);
  return fresh;
};

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'nsv-remarks-'));
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

it('a remark about a file is new once', () => {
  expect(made('/a.json', 'one', 'two')).toEqual(['one', 'two']);
  expect(made('/a.json', 'one', 'two')).toEqual([]);
  expect(made('/a.json', 'two', 'three')).toEqual(['three']);
  expect(made('/b.json', 'one')).toEqual(['one']);
  expect(made('/a.json', 'one')).toEqual(['one']);
});

it('remarks about the last 100 files are remembered', () => {
  for (let file = 0; file <= 100; file += 1) made(`/${file}.json`, 'one');
  expect(made('/1.json', 'one')).toEqual([]);
  expect(made('/0.json', 'one')).toEqual(['one']);
});

it('remarks are new again if the file cannot be read or written', () => {
  for (const broken of ['', '{}', '[["/a.json"]]', '[null]']) {
    writeFileSync(paths().remarks, broken);
    expect(newRemarks(paths(), '/a.json', ['one'])).toEqual(['one']);
  }
  made('/a.json', 'one');
  expect(JSON.parse(readFileSync(paths().remarks, 'utf8'))).toEqual([['/a.json', ['one']]]);
  rmSync(directory, { recursive: true });
  expect(made('/a.json', 'one')).toEqual(['one']);
  expect(made('/a.json', 'one')).toEqual(['one']);
});
