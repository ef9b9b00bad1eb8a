// Stacks of what has died, by the lines of the sources.
import { rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { encode } from '@jridgewell/sourcemap-codec';
import { beforeEach, describe, expect, it } from 'vitest';
import { mappedDeath, mappedFailure } from '../../../../src/client/stacks/mapped.ts';
import { failure } from '../../../../src/shared/errors.ts';
import { deathView } from '../../../helpers/deaths.ts';
import { temporaryDirectory } from '../../../helpers/temporary.ts';

let directory: string;
let file: string;
const died = 1_700_000_000_000;

beforeEach(() => {
  directory = temporaryDirectory();
  file = join(directory, 'app.js');
  /** The first line comes from line 40 of the source, up to column 20, and from line 50 behind it. */
  const mappings = encode([
    [
      [0, 0, 39, 0],
      [20, 0, 49, 0],
    ],
  ]);
  const map = JSON.stringify({ version: 3, sources: ['app.ts'], names: [], mappings });
  const url = `data:application/json;base64,${Buffer.from(map).toString('base64')}`;
  writeFileSync(file, `work();                   rest();\n//# sourceMappingURL=${url}\n`);
  utimesSync(file, died / 1_000 - 60, died / 1_000 - 60);
});

const frame = (column: number) => ({ function: 'work', file, line: 1, column });
const source = () => join(directory, 'app.ts');

describe('the stacks of a record', () => {
  const view = () =>
    deathView({ at: died, error: { headline: 'Error: x', frames: [frame(1), frame(25)] }, stack: [frame(25)] });

  it('are mapped, by column within a single line', () => {
    const mapped = mappedDeath()(view());
    expect(mapped.error?.frames).toEqual([
      { function: 'work', file: source(), line: 40, column: null },
      { function: 'work', file: source(), line: 50, column: null },
    ]);
    expect(mapped.stack).toMatchObject([{ file: source(), line: 50 }]);
  });

  it('are not mapped if the file has been written since the death', () => {
    utimesSync(file, died / 1_000 + 1, died / 1_000 + 1);
    expect(mappedDeath()(view())).toEqual(view());
  });

  it('are not mapped if the file is missing', () => {
    rmSync(file);
    expect(mappedDeath()(view())).toEqual(view());
  });
});

describe('the calls in an error of a command', () => {
  it('are mapped, and all other text is kept', () => {
    const details = [`at work (${file}:1:1)`, `at ${file}:1:25`, 'at work (/gone.js:7:1)', 'at last, it stopped'];
    const error = failure('NOT_READY', { name: 'web', reason: 'it crashed' }, { details });
    const mapped = mappedFailure(error);
    expect(mapped.details).toEqual([
      `at work (${source()}:40)`,
      `at ${source()}:50`,
      'at work (/gone.js:7)',
      'at last, it stopped',
    ]);
    expect({ ...mapped.toJSON(), details }).toEqual(error.toJSON());
  });
});
