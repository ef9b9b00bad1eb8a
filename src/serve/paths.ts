// From the URL of a request to a file, or to nothing: what a client must not see is as if it were not there.
import { realpath, stat } from 'node:fs/promises';
import { join, sep } from 'node:path';

/** The decoded path; undefined where the URL is malformed. */
export function pathOf(url: string): string | undefined {
  const encoded = url.replace(/^https?:\/\/[^/?#]*/i, '').split(/[?#]/, 1)[0] || '/';
  try {
    const path = decodeURIComponent(encoded);
    return path.startsWith('/') && !path.includes('\0') ? path : undefined;
  } catch {
    return undefined;
  }
}

/** Nobody asks for `..` who means well. Of the names with a dot, `.well-known` alone is meant for everybody (RFC 8615). */
export function isHidden(path: string): boolean {
  return path.split('/').some((name, depth) => name.startsWith('.') && !(name === '.well-known' && depth === 1));
}

/** Where `url` has asked for the directory `path` without its slash. One at the beginning only: two would name a host. */
export function asDirectory(path: string, url: string): string {
  const location = encodeURI(path).replace(/^\/+/, '/').replace(/[?#]/g, encodeURIComponent);
  return `${location}/${/\?[^#]*/.exec(url)?.[0] ?? ''}`;
}

/**
 * Whether there is a file or a directory, and not by a link to what lies outside of `root`, which is a real path. To read of
 * anything else, such as a FIFO, may never end.
 */
export async function isInside(root: string, path: string): Promise<boolean> {
  try {
    const real = await realpath(join(root, path));
    if (real !== root && !real.startsWith(root.endsWith(sep) ? root : root + sep)) return false;
    const stats = await stat(real);
    return stats.isFile() || stats.isDirectory();
  } catch {
    return false;
  }
}
