// A copy of the built package, as another version of nsv.
import { cpSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { version } from '../../src/shared/version.ts';
import { root } from './nsv.ts';

export interface Release {
  version?: string;
  /** What its daemon executes instead of nsv's. */
  daemon?: (source: string) => string;
  /** What all its programs do instead of nsv's. */
  all?: (source: string) => string;
}

/** Copies it into `folder`, and returns the path of its `nsv`. */
export function createRelease(folder: string, { version: other = version, daemon, all }: Release): string {
  for (const part of ['bin', 'dist', 'package.json']) cpSync(join(root, part), join(folder, part), { recursive: true });
  const files = readdirSync(join(folder, 'dist'), { recursive: true, encoding: 'utf8' })
    .filter((file) => /^(cli|daemon)\/[^/]+\.js$/.test(file))
    .map((file) => join(folder, 'dist', file));
  // The version is built in, and `nsv --version` reads it.
  if (other !== version) {
    edit(files, (source) => source.replaceAll(`version:"${version}"`, `version:"${other}"`));
    edit([join(folder, 'package.json')], (source) =>
      source.replace(`"version": "${version}"`, `"version": "${other}"`),
    );
  }
  if (all) edit(files, all);
  if (daemon) edit([join(folder, 'dist', 'daemon', 'main.js')], daemon);
  return join(folder, 'bin', 'nsv');
}

/** Throws if the change finds nothing to change, as after a renaming: the test would run against nsv as it is. */
function edit(files: string[], change: (source: string) => string): void {
  // Esbuild breaks lines within strings, too.
  const sources = files.map((file) => ({ file, source: readFileSync(file, 'utf8').replaceAll('\\\n', '') }));
  const changed = sources
    .map(({ file, source }) => ({ file, source, now: change(source) }))
    .filter(({ source, now }) => source !== now);
  if (changed.length === 0) throw new Error(`nothing to replace in ${files.join(', ')}: ${change}`);
  for (const { file, now } of changed) writeFileSync(file, now);
}
