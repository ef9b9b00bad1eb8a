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
export function createRelease(
  folder: string,
  { version: other = version, daemon, all = (source) => source }: Release,
): string {
  for (const part of ['bin', 'dist', 'package.json']) cpSync(join(root, part), join(folder, part), { recursive: true });
  // The version is built in.
  for (const file of readdirSync(join(folder, 'dist'), { recursive: true, encoding: 'utf8' })) {
    if (!/^(cli|daemon|run)\/[^/]+\.js$/.test(file)) continue;
    edit(join(folder, 'dist', file), (source) => all(source.replaceAll(`version:"${version}"`, `version:"${other}"`)));
  }
  if (daemon) edit(join(folder, 'dist', 'daemon', 'main.js'), daemon);
  return join(folder, 'bin', 'nsv');
}

function edit(file: string, change: (source: string) => string): void {
  writeFileSync(file, change(readFileSync(file, 'utf8')));
}
