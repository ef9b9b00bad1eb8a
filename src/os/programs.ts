// Programs as files: lookup on the PATH, the executable bit, the shebang line.
import { accessSync, constants, readFileSync, realpathSync, type Stats, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, join, resolve } from 'node:path';
import { errnoOf } from '../shared/errno.ts';
import { homeDirectory } from '../shared/paths.ts';
import { beginningOf } from './proc.ts';

/** Without links; a path where nothing is is returned unchanged. */
export function realPathOf(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}

/** Without the mark that some editors put before UTF-8. */
export function textIn(file: string): string {
  return new TextDecoder().decode(readFileSync(file));
}

/** Set if this user may not even know what is there. */
export function refusalAt(path: string): string | undefined {
  try {
    statSync(path, { throwIfNoEntry: false });
    return undefined;
  } catch (error) {
    return errnoOf(error) === 'EACCES' ? 'permission denied for a directory above it' : undefined;
  }
}

export function isFile(path: string): boolean {
  return statsOf(path)?.isFile() ?? false;
}

/** Whether the Node of an app has been removed. */
export function hasLostNode({ node, interpreter }: { node: boolean; interpreter?: string | undefined }): boolean {
  return node && interpreter !== undefined && !isFile(interpreter);
}

export function isDirectory(path: string): boolean {
  return statsOf(path)?.isDirectory() ?? false;
}

/** Returns undefined for any error: no such file, a file as parent, no access, a name that is too long. */
function statsOf(path: string): Stats | undefined {
  try {
    // Most directories of a PATH do not have the program, and an error takes ten times as long.
    return statSync(path, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}

/** The file Node runs for a directory: `main` of its package.json, else index.js. Undefined for anything else. */
export function mainOf(directory: string): string | undefined {
  return isDirectory(directory) ? entryOf(directory) : undefined;
}

/** The file that `node <path>` runs: the path itself, or with `.js`, or the main file of a directory. Undefined if there is none. */
export function entryOf(path: string): string | undefined {
  if (isFile(path)) return path;
  try {
    return createRequire(join(path, 'package.json')).resolve(path);
  } catch {
    return undefined;
  }
}

export function isExecutable(path: string): boolean {
  if (!isFile(path)) return false;
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** Resolves a path, expanding `~` also where no shell has done so: in a config file, or behind a `=`. */
export function resolvePath(directory: string, path: string): string {
  return resolve(directory, path.replace(/^~(?=\/|$)/, homeDirectory()));
}

/** Where programs are looked for without a PATH. */
export const defaultPath = '/usr/local/bin:/usr/bin:/bin';
/** Where only root installs programs: for what runs as root on behalf of others. */
export const systemPath = '/usr/bin:/bin:/usr/sbin:/sbin';

/** Finds a program: a word with a slash is a path relative to `cwd`, any other is looked up on the PATH of `env`. */
export function findProgram(word: string, { cwd, env }: SearchPlace): string | undefined {
  const directories = word.includes('/') ? [''] : (env.PATH ?? defaultPath).split(':');
  for (const directory of directories) {
    const file = resolvePath(cwd, join(directory, word));
    if (isExecutable(file)) return file;
  }
  return undefined;
}

/** A program of the system, whatever the PATH of the caller. */
export function findSystemProgram(name: string): string | undefined {
  return findProgram(name, { cwd: '/', env: { PATH: systemPath } });
}

/** Where and as whom a program is looked up and run: usually the working directory and the environment of the user. */
export interface SearchPlace {
  cwd: string;
  env: Record<string, string>;
  /** The user of the app. Default: the user of the command. */
  uid?: string | undefined;
}

/** The words after `#!` in the first line of a file; undefined if there are none or the file cannot be read. */
export function shebangOf(file: string): string[] | undefined {
  const head = readHead(file);
  if (!head.startsWith('#!')) return undefined;
  const words = head.slice(2).split('\n', 1)[0]!.trim().split(/\s+/);
  return words[0] ? words : undefined;
}

/** Whether a file looks like text, to be run by an interpreter. */
export function isText(file: string): boolean {
  const head = readHead(file);
  return head !== '' && !head.includes('\0');
}

/** The kernel reads no more either. */
function readHead(file: string): string {
  return beginningOf(file, 256)?.toString('latin1') ?? '';
}

/** Checks the program's own name, which may be that of a shim, and the file it links to (`/etc/alternatives/...`). */
export function isNode(program: string): boolean {
  const file = realpathSync(program);
  return [program, file].some(isNodeName) || file === ownFile();
}

/** The file of this Node. Without /proc, it is not known: process.execPath is what was typed. */
function ownFile(): string {
  try {
    return realpathSync(process.execPath);
  } catch {
    return process.execPath;
  }
}

/** `node`, `nodejs`, `node20`, `node-22`: as distributions and version managers call it. */
export function isNodeName(program: string): boolean {
  return /^node(js)?(-?\d[\d.]*)?$/.test(basename(program));
}
