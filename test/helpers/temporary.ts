import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';

/** A new directory: for the test that runs, or with `afterAll` for all those of the file. */
export function temporaryDirectory(atEnd: (remove: () => void) => void = onTestFinished): string {
  const directory = realpathSync(mkdtempSync(join(tmpdir(), 'nsv-')));
  atEnd(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
}
