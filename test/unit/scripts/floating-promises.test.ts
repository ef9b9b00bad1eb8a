import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const root = join(import.meta.dirname, '..', '..', '..');
const fixture = 'test/fixtures/promises';

it('finds every promise without an owner, and no other', () => {
  const script = join('scripts', 'floating-promises.mjs');
  const words = [script, `${fixture}/tsconfig.json`];
  const { status, stderr } = spawnSync(process.execPath, words, { cwd: root, encoding: 'utf8' });
  const lines = readFileSync(join(root, fixture, 'owners.ts'), 'utf8').split('\n');
  const [begin, end] = ['// Without', '// With one'].map((mark) => lines.findIndex((line) => line.includes(mark)));
  const expected = [...lines.keys()].filter((line) => line > begin! && line < end! && lines[line] !== '');
  const found = [...stderr.matchAll(/owners\.ts:(\d+): /g)].map(([, line]) => Number(line) - 1);
  expect(found).toEqual(expected);
  expect(status).toBe(1);
});
