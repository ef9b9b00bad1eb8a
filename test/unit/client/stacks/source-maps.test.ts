// Calls in compiled files, by the lines of their sources.
import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { encode } from '@jridgewell/sourcemap-codec';
import { beforeEach, describe, expect, it } from 'vitest';
import { SourceMaps } from '../../../../src/client/stacks/source-maps.ts';
import { hasProc } from '../../../../src/os/proc.ts';
import { temporaryDirectory } from '../../../helpers/temporary.ts';

let directory: string;
beforeEach(() => {
  directory = temporaryDirectory();
});

/** The second line of the output comes from line 40 of the source. */
const map = JSON.stringify({
  version: 3,
  sources: ['../src/app.ts'],
  names: [],
  mappings: encode([[], [[4, 0, 39, 2]], []]),
});

function compiled(comment: string): string {
  const file = join(directory, 'app.js');
  writeFileSync(file, `"use strict";\n    work();\nrest();\n//# sourceMappingURL=${comment}\n`);
  return file;
}

const at = (url: string, line: number, column?: number) =>
  new SourceMaps().frameOf({ functionName: 'work', url, line, column });

describe('a frame', () => {
  it.each([
    ['beside the file', () => writeFileSync(join(directory, 'app.js.map'), map), 'app.js.map'],
    ['within the file', () => {}, `data:application/json;base64,${Buffer.from(map).toString('base64')}`],
  ])('is mapped by a source map %s', (_where, write, comment) => {
    write();
    const expected = { function: 'work', file: join(directory, '../src/app.ts'), line: 40 };
    const file = compiled(comment);
    expect(at(file, 1, 4)).toEqual(expected);
    expect(at(pathToFileURL(file).href, 1)).toEqual(expected);
  });

  it('is unchanged on a line without a mapping', () => {
    writeFileSync(join(directory, 'app.js.map'), map);
    const file = compiled('app.js.map');
    expect(at(file, 2)).toEqual({ function: 'work', file, line: 3 });
  });

  it.each(['missing.map', 'data:application/json,{'])('is unchanged if the map cannot be read: %s', (comment) => {
    const file = compiled(comment);
    expect(at(file, 1)).toEqual({ function: 'work', file, line: 2 });
  });

  it.each([[''], [{}], [7]])('is unchanged if the map has an invalid source name: %j', (source) => {
    const file = compiled('app.js.map');
    writeFileSync(join(directory, 'app.js.map'), map.replace('"../src/app.ts"', JSON.stringify(source)));
    expect(at(file, 1).line).toBe(source === '' ? 40 : 2);
  });

  it('is unchanged once the maps are too large', () => {
    writeFileSync(join(directory, 'app.js.map'), map);
    const file = compiled('app.js.map');
    const known = { function: 'work', file, line: 2 };
    const frameOf = (mostBytes: number) =>
      new SourceMaps(mostBytes).frameOf({ functionName: 'work', url: file, line: 1 });
    expect(frameOf(100)).toEqual(known);
    expect(frameOf(10_000)).not.toEqual(known);
  });

  it.runIf(hasProc)('is unchanged in a file of the kernel, which may be endless', () => {
    const text = `\n\n//# sourceMappingURL=data:application/json;base64,${Buffer.from(map).toString('base64')}\n`;
    const child = spawn('sleep', ['60'], { env: { PATH: process.env.PATH, TEXT: text } });
    try {
      const file = `/proc/${child.pid}/environ`;
      expect(at(file, 1)).toEqual({ function: 'work', file, line: 2 });
    } finally {
      child.kill();
    }
  });

  it('is unchanged for code of Node or V8', () => {
    expect(at('node:net', 4)).toEqual({ function: 'work', file: 'node:net', line: 5 });
    expect(at('', -1)).toEqual({ function: 'work', file: '', line: null });
  });
});
