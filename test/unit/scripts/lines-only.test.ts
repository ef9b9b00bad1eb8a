import { SourceMap } from 'node:module';
import { join } from 'node:path';
import { build } from 'esbuild';
import { expect, it } from 'vitest';
// @ts-expect-error: a script without types
import { linesOnly } from '../../../scripts/lines-only.mjs';

const root = join(import.meta.dirname, '..', '..', '..');

it('linesOnly keeps the line of every place in a bundle', async () => {
  const { outputFiles } = await build({
    absWorkingDir: root,
    entryPoints: ['src/rotator/main.ts'],
    outdir: 'dist',
    bundle: true,
    platform: 'node',
    minifyWhitespace: true,
    sourcemap: 'external',
    write: false,
  });
  const [map, code] = outputFiles.map(({ text }) => text);
  const [whole, small] = [map, linesOnly(map)].map((text) => new SourceMap(JSON.parse(text!)));
  const lineOf = (source: SourceMap, line: number, column: number) => {
    const entry = source.findEntry(line, column);
    return 'originalSource' in entry && `${entry.originalSource}:${entry.originalLine}`;
  };
  const places = code!.split('\n').flatMap((text, line) => Array.from(text, (_, column) => [line, column] as const));
  const wrong = places.filter(([line, column]) => lineOf(whole!, line, column) !== lineOf(small!, line, column));
  expect(wrong).toEqual([]);
  expect(linesOnly(map).length).toBeLessThan(map!.length / 3);
});
