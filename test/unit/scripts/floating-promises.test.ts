import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { finish } from '../../helpers/program.ts';

const root = join(import.meta.dirname, '..', '..', '..');
const fixture = 'test/fixtures/promises';

it('the type check finds every promise without an owner, and no other', async () => {
  const script = join('scripts', 'types.mjs');
  const words = [script, `${fixture}/tsconfig.json`];
  const { code, stderr } = await finish(process.execPath, words, { cwd: root });
  const lines = readFileSync(join(root, fixture, 'owners.ts'), 'utf8').split('\n');
  const [begin, end] = ['// Without', '// With one'].map((mark) => lines.findIndex((line) => line.includes(mark)));
  const expected = [...lines.keys()].filter((line) => line > begin! && line < end! && lines[line] !== '');
  const found = [...stderr.matchAll(/owners\.ts:(\d+): /g)].map(([, line]) => Number(line) - 1);
  expect(found).toEqual(expected);
  expect(code).toBe(1);
});
