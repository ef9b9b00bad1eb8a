// For tests of `nsv/app`: programs of the test can import it.
import { mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './nsv.ts';

/** As if `npm install nsv` had been run in the directory. */
export function installNsv(directory: string): void {
  mkdirSync(join(directory, 'node_modules'));
  symlinkSync(root, join(directory, 'node_modules', 'nsv'));
}
