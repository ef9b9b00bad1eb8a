// Files as programs: what is on a PATH, what may be executed, what a first line says.
import { accessSync, closeSync, constants, openSync, readSync, realpathSync, type Stats, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { homedir } from 'node:os';
import { basename, join, resolve } from 'node:path';

export function isFile(path: string): boolean {
  return statsOf(path)?.isFile() ?? false;
}

export function isDirectory(path: string): boolean {
  return statsOf(path)?.isDirectory() ?? false;
}

/** Undefined for what is not there, and for what cannot be: below a file, behind a closed directory, with too long a name. */
function statsOf(path: string): Stats | undefined {
  try {
    return statSync(path);
  } catch {
    return undefined;
  }
}

/** The file that Node runs for a directory: what its package.json says, else index.js. Undefined for what is no directory. */
export function mainOf(directory: string): string | undefined {
  if (!isDirectory(directory)) return undefined;
  try {
    return createRequire(join(directory, 'package.json')).resolve(directory);
  } catch {
    return undefined;
  }
}

export function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return isFile(path);
  } catch {
    return false;
  }
}

/** `~/logs` is in the home of the user also where no shell has seen it: in a config file, or behind a `=`. */
export function resolvePath(directory: string, path: string): string {
  return resolve(directory, path.replace(/^~(?=\/|$)/, homedir()));
}

/** Where a program is: a word with a slash is a path from `cwd`, any other is looked up on the PATH of `env`. */
export function findProgram(word: string, { cwd, env }: SearchPlace): string | undefined {
  const directories = word.includes('/') ? [''] : (env.PATH ?? '/usr/local/bin:/usr/bin:/bin').split(':');
  return directories.map((directory) => resolvePath(cwd, join(directory, word))).find(isExecutable);
}

/** Where the user stands. */
export interface SearchPlace {
  cwd: string;
  env: Record<string, string>;
}

/** The words behind `#!` in the first line of a file; undefined when there are none, or the file may not be read. */
export function shebangOf(file: string): string[] | undefined {
  const head = readHead(file);
  if (!head.startsWith('#!')) return undefined;
  const words = head.slice(2).split('\n', 1)[0]!.trim().split(/\s+/);
  return words[0] ? words : undefined;
}

function readHead(file: string): string {
  let fd: number | undefined;
  try {
    fd = openSync(file, 'r');
    const bytes = Buffer.alloc(256); // The kernel looks no further either.
    return bytes.toString('latin1', 0, readSync(fd, bytes, 0, bytes.length, 0));
  } catch {
    return '';
  } finally {
    if (fd !== undefined) closeSync(fd);
  }
}

/** By its own name or that of the file behind a link (`/etc/alternatives/...`). */
export function isNode(program: string): boolean {
  return (
    program === process.execPath || [program, realpathSync(program)].some((path) => /^node(js)?$/.test(basename(path)))
  );
}
