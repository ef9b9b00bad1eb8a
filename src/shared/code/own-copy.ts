// A daemon runs from a copy of what it needs of the package (client/copies.ts), and so does `nsv run`. What such a program knows of it.
import { constants, existsSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { installed, ownRoot, programsIn } from '../paths.ts';
import { build } from '../version.ts';

/** What is in a copy. It is a JSON file at its root. */
export interface CopyRecord {
  /** The root of the package that it was made of. */
  package: string;
  /** Bytes of each file. */
  files: Record<string, number>;
}

/** Whether this is a file in the programs of a copy, or their folder with a slash. */
export function isInCopy(file: string): boolean {
  return /[\\/]nsv-[0-9a-f]{8}-[0-9a-f]+-[0-9a-f]*[\\/]dist[\\/]/.test(file);
}

/** Throws the system's error, or a SyntaxError. */
export function readCopyRecord(root: string): CopyRecord {
  return JSON.parse(readFileSync(join(root, 'copy.json'), 'utf8')) as CopyRecord;
}

/** What scripts/build.mjs says of the package, or of a copy. `ofDaemon`: the files that a daemon may need. Throws as above. */
export function readBuild(root: string): { build: string; ofDaemon: string[] } {
  return JSON.parse(readFileSync(join(root, 'dist/package.json'), 'utf8')) as { build: string; ofDaemon: string[] };
}

let packageHere: string | undefined;

/** Shows other processes that this one runs from its copy, if it does. */
export function holdOwnCopy(): void {
  if (!isInCopy(`${installed.bundles}/`)) return;
  packageHere = readCopyRecord(ownRoot).package;
  openSync(ownRoot, constants.O_RDONLY | constants.O_DIRECTORY);
}

/** The file server, as specs name it: in the package, also if this program runs from a copy. Throws like `readCopyRecord`. */
export function fileServer(): string {
  return isInCopy(`${installed.bundles}/`) ? programsIn(readCopyRecord(ownRoot).package).serve : installed.serve;
}

/** A script of the package, such as the file server, as it is in this copy; any other script as it is. */
export function inOwnCopy(script: string): string {
  const isOurs = packageHere !== undefined && script.startsWith(`${packageHere}/dist/`);
  return isOurs ? ownRoot + script.slice(packageHere!.length) : script;
}

/** What to load into Node programs. If somebody has deleted this copy, the package may still be of the same build. Undefined if neither is there. */
export function findPreload(): string | undefined {
  if (existsSync(installed.preload)) return installed.preload;
  try {
    return packageHere !== undefined && readBuild(packageHere).build === build
      ? programsIn(packageHere).preload
      : undefined;
  } catch {
    return undefined;
  }
}
