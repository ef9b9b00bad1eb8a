// Where watched paths lead. A path may lead elsewhere at any time, or nowhere: a build removes its output, a release is a link that is
// switched, a mounted ConfigMap is reached through two.
import { realpath, stat } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { globOf } from './patterns.ts';

export interface Place {
  /** The path as it was asked for; that of the directory above all that a glob may mean. */
  named: string;
  /** Without links. */
  real: string;
  isDirectory: boolean;
  /** Tells the directory, or that of the file, from others that the path has led to or will lead to. */
  identity: string;
  /** Whether the path asked for means a path in it, relative to it. Default: all. */
  means?(path: string): boolean;
}

/** Undefined if nothing is there. A path that exists is taken literally, whatever characters it has. */
export async function placeOf(path: string, cwd: string): Promise<Place | undefined> {
  return (await placeAt(path)) ?? placeOfGlob(path, cwd);
}

async function placeOfGlob(path: string, cwd: string): Promise<Place | undefined> {
  const glob = globOf(path, cwd);
  const place = glob && (await placeAt(glob.base));
  return place?.isDirectory ? { ...place, means: glob!.means } : undefined;
}

async function placeAt(named: string): Promise<Place | undefined> {
  try {
    const real = await realpath(named);
    const stats = await stat(real);
    const isDirectory = stats.isDirectory();
    const { dev, ino } = isDirectory ? stats : await stat(dirname(real));
    return { named, real, isDirectory, identity: `${real} ${dev}:${ino}` };
  } catch {
    return undefined;
  }
}

export function isIn({ real }: Place, path: string): boolean {
  return path === real || path.startsWith(real === '/' ? real : `${real}/`);
}

/** Whether a path in the place is meant. */
export function isMeant({ real, means }: Place, path: string): boolean {
  return means === undefined || path === real || means(relative(real, path));
}

/** A path in the place as the user would name it. */
export function nameIn({ named, real }: Place, path: string): string {
  return join(named, relative(real, path));
}
