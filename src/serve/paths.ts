// Maps the URL of a request to a file. Files that clients must not see are treated as missing.
import { realpath, stat } from 'node:fs/promises';
import { join, sep } from 'node:path';

/** The decoded path; undefined for a malformed URL. */
export function pathOf(url: string): string | undefined {
  const encoded = url.replace(/^https?:\/\/[^/?#]*/i, '').split(/[?#]/, 1)[0] || '/';
  try {
    const path = decodeURIComponent(encoded);
    return path.startsWith('/') && !path.includes('\0') ? path : undefined;
  } catch {
    return undefined;
  }
}

/** Rejects `..`, which only an attacker would send, and all dot files but `.well-known`, which is public (RFC 8615). */
export function isHidden(path: string): boolean {
  return path.split('/').some((name, depth) => name.startsWith('.') && !(name === '.well-known' && depth === 1));
}

/**
 * Where to redirect a directory requested without its slash. Collapses leading slashes: two would begin a host name.
 */
export function asDirectory(path: string, url: string): string {
  const location = encodeURI(path).replace(/^\/+/, '/').replace(/[?#]/g, encodeURIComponent);
  return `${location}/${/\?[^#]*/.exec(url)?.[0] ?? ''}`;
}

/**
 * Whether there is a file or a directory that is not a link to outside of `root`, which is a real path. Other kinds of
 * files are rejected: reading a FIFO, for example, may never end.
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
