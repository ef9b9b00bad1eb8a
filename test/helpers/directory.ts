// A directory of its own for each test of a file.
import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach } from 'vitest';

/** Returns the function that says where a name is in the directory, and without a name, where that is itself. */
export function directoryForEach(): (...names: string[]) => string {
  let directory: string;
  beforeEach(() => {
    directory = realpathSync(mkdtempSync(join(tmpdir(), 'nsv-')));
  });
  afterEach(() => rmSync(directory, { recursive: true }));
  return (...names) => join(directory, ...names);
}
