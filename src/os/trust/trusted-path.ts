// Decides which files of an app of another user the daemon may open itself. What that user could swap for a link while
// the daemon looks the other way, the daemon leaves to a process with that user's rights.
import { lstatSync, readlinkSync } from 'node:fs';

/** What is at a path, without following a link. */
export interface CheckedPath {
  kind: 'directory' | 'link' | 'other';
  uid: number;
  mode: number;
  /** Of a link. */
  target?: string;
}

export interface Own {
  /** The daemon's own user. */
  uid: number;
  /** Its home, which lies below trusted directories (home.ts). If omitted, paths in it are as any others. */
  home?: string;
  /**
   * Whether a directory with the sticky bit, such as /tmp, will do. `present`: for what is there already, since others
   * cannot remove from it what is root's. `new`: also for what we are about to create, and check again then. Default: no.
   */
  sticky?: 'present' | 'new';
}

/** What another user could swap on the way to a path. */
export interface Weakness extends CheckedPath {
  path: string;
}

/** As many as Linux follows: path_resolution(7). */
const mostLinks = 40;
const root = 0;
const writableByOthers = 0o022;
const stickyBit = 0o1000;

/**
 * Whether only root and the daemon's user can decide what an absolute path leads to: every directory on the way is
 * theirs, and nobody else can write to it. That includes directories with the sticky bit, such as /tmp. Whoever can
 * write to the file itself does not matter. Pure, apart from `look`.
 */
export function isTrustedPath(
  path: string,
  own: Own,
  look: (path: string) => CheckedPath | undefined = lookAt,
): boolean {
  return weaknessOf(path, own, look) === undefined;
}

/** The first directory or link by which other users could decide what the path leads to. See isTrustedPath. */
export function weaknessOf(
  path: string,
  own: Own,
  look: (path: string) => CheckedPath | undefined = lookAt,
): Weakness | undefined {
  let at = '/';
  let rest: string[] = [];
  let links = 0;
  enter(path);
  while (rest.length > 0) {
    if (at !== own.home) {
      const directory = look(at);
      // Nobody else can create it.
      if (!directory) return undefined;
      if (directory.kind !== 'directory' || !isRoots(directory, own)) return { path: at, ...directory };
      if ((directory.mode & writableByOthers) !== 0) {
        if ((directory.mode & stickyBit) === 0 || !own.sticky) return { path: at, ...directory };
        const entry = look(nextOf());
        if (!entry && own.sticky === 'present') return { path: at, ...directory };
        if (entry && !isRoots(entry, own)) return { path: nextOf(), ...entry };
      }
    }
    const next = nextOf();
    rest.shift();
    const found = look(next);
    if (found?.kind !== 'link') {
      at = next;
      continue;
    }
    links += 1;
    if (links > mostLinks) return { path: next, ...found };
    enter(found.target ?? '');
  }
  return undefined;

  function nextOf(): string {
    return below(at, rest[0]!);
  }

  /** Continues with a path, which is relative to where we are, or absolute. */
  function enter(target: string): void {
    const { home } = own;
    const isInHome = home !== undefined && (target === home || target.startsWith(`${home}/`));
    if (target.startsWith('/')) at = isInHome ? home : '/';
    const words = (isInHome ? target.slice(home.length) : target).split('/');
    rest = [...words.filter((word) => word !== '' && word !== '.'), ...rest];
  }
}

/** An app runs as another user than the daemon. A group alone does not make it another user. */
export function isForeign({ uid }: { readonly uid?: string | undefined }): boolean {
  return uid !== undefined && Number(uid) !== process.geteuid?.();
}

/** Tells which files of an app its own user has to open. Undefined for an app of the daemon's user: none. */
export function filesOfOwner(
  app: { readonly uid?: string | undefined },
  home: string,
): ((file: string) => boolean) | undefined {
  if (!isForeign(app)) return undefined;
  const own = { uid: process.geteuid?.() ?? root, home };
  return (file) => !isTrustedPath(file, own);
}

function isRoots({ uid }: CheckedPath, own: Own): boolean {
  return uid === root || uid === own.uid;
}

function below(directory: string, name: string): string {
  if (name === '..') return directory.slice(0, directory.lastIndexOf('/')) || '/';
  return directory === '/' ? `/${name}` : `${directory}/${name}`;
}

/** Undefined if nothing is there. What cannot be looked at (a file as parent, no access) belongs to somebody else. */
export function lookAt(path: string): CheckedPath | undefined {
  const foreign: CheckedPath = { kind: 'other', uid: -1, mode: writableByOthers };
  try {
    const stats = lstatSync(path, { throwIfNoEntry: false });
    if (!stats) return undefined;
    const { uid, mode } = stats;
    if (stats.isSymbolicLink()) return { kind: 'link', uid, mode, target: readlinkSync(path) };
    return { kind: stats.isDirectory() ? 'directory' : 'other', uid, mode };
  } catch {
    return foreign;
  }
}
