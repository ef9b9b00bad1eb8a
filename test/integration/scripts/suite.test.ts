// `npm test` on a suite of its own, whose tests fail as they are told.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { root } from '../../helpers/nsv.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'nsv-suite-'));
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
  writeFileSync(
    join(folder, 'vitest.config.js'),
    'export default { test: { include: ["*.test.js"], tags: [{ name: "full" }] } };',
  );
});
afterEach(() => rmSync(folder, { recursive: true }));

/** A file with two tests: one passes, `source` is the other. */
function file(name: string, source: string): void {
  const head = "import { existsSync, writeFileSync } from 'node:fs';\nimport { it } from 'vitest';\n";
  writeFileSync(join(folder, `${name}.test.js`), `${head}it('passes', () => {});\nit('is told', () => { ${source} });`);
}

/** The exit code, and what is printed after vitest's own output. */
async function suite(...words: string[]): Promise<[number, string[]]> {
  const { VITEST, NODE_OPTIONS, ...env } = process.env;
  const child = spawn(process.execPath, [join(root, 'scripts/test.mjs'), ...words], { cwd: folder, env });
  const [[code], output] = await Promise.all([once(child, 'close'), text(child.stdout), text(child.stderr)]);
  return [code, output.slice(output.lastIndexOf('\n\n')).trim().split('\n')];
}

const failsOnce =
  "const seen = 'seen'; if (!existsSync(seen)) { writeFileSync(seen, ''); throw new Error('one\\ntwo'); }";

it('the suite is green when a failed file passes alone, and prints the totals last', async () => {
  file('steady', '');
  file('wobbles', failsOnce);
  const wobble = ['wobbled: wobbles.test.js > is told', '  Error: one', '  two'];
  expect(await suite()).toEqual([0, [...wobble, '4 passed, 0 failed, 0 skipped']]);
  const kept = readFileSync(join(folder, 'wobbles.log'), 'utf8').trimEnd().split('\n');
  expect(kept[0]).toMatch(/^\d{4}-\S+Z v\d+\.\S+ wobbled: wobbles\.test\.js > is told$/);
  expect(kept.slice(1)).toEqual(wobble.slice(1));
});

it('the suite is red when a file fails twice, and runs only what was asked for', { tags: 'full' }, async () => {
  file('broken', "throw new Error('no')");
  file('other', "throw new Error('other')");
  const failed = ['failed: broken.test.js > is told', '  Error: no'];
  expect(await suite('broken')).toEqual([1, [...failed, '1 passed, 1 failed, 0 skipped']]);
});

it('the suite is red when a file cannot be loaded, or a rejection is not handled', { tags: 'full' }, async () => {
  file('loaded', "Promise.reject(new Error('not owned'))");
  writeFileSync(join(folder, 'syntax.test.js'), 'it(');
  const [code, lines] = await suite('--busy');
  expect(code).toBe(1);
  expect(lines).toContain('failed: loaded.test.js > an unhandled error');
  expect(lines).toContain('failed: syntax.test.js');
  expect(lines.at(-1)).toBe('2 passed, 2 failed, 0 skipped');
});

it('the suite counts no test of another tier as skipped', async () => {
  file('both', '');
  const more = "it('sweeps', { tags: 'full' }, () => {});\nit.skip('is skipped', () => {});\n";
  writeFileSync(join(folder, 'more.test.js'), `import { it } from 'vitest';\n${more}`);
  expect(await suite('--tags-filter=!full')).toEqual([
    0,
    ['not run: 1 of the other tier', '2 passed, 0 failed, 1 skipped'],
  ]);
  expect(await suite('--tags-filter=full')).toEqual([
    0,
    ['not run: 3 of the other tier', '1 passed, 0 failed, 0 skipped'],
  ]);
});
