import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { linesSince } from '../../../../src/daemon/output/error-output.ts';
import { temporaryDirectory } from '../../../helpers/temporary.ts';

it('the last output of an app is short, even if one of its lines is long', () => {
  const folder = temporaryDirectory();
  const file = join(folder, 'err.log');
  const source = 'x'.repeat(500);
  writeFileSync(file, `before\n/app/bundle.js:1\n${source}${'y'.repeat(10_000)}\n  ^\n\nError: no such table\n`);
  expect(linesSince(file, 7, 15)).toEqual(['/app/bundle.js:1', `${source}…`, '  ^', 'Error: no such table']);
});
