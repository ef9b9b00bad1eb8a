// Finds what a URL names, and holds on to it: what was looked at is what is sent, whatever the path leads to a moment later. Files that
// clients must not see are treated as missing.
import { constants } from 'node:fs';
import { type FileHandle, open, readlink, realpath } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
import { join, sep } from 'node:path';
import { finished } from 'node:stream/promises';
import { hasProc } from '../os/proc.ts';
import { pathOnly } from '../os/trust/open-to-read.ts';

/** So that a FIFO does not block. */
const flags = hasProc ? pathOnly : constants.O_RDONLY | constants.O_NONBLOCK;

export interface FoundFile {
  isDirectory: boolean;
  /** Leads to it until the response is over, even if it has been renamed or deleted. */
  path: string;
}

/**
 * A file or directory below `root`, which is a real path. Undefined if there is none, if a link leads out of `root`, and
 * for other kinds of files: reading a FIFO, for example, may never end.
 */
export async function find(root: string, path: string, response: ServerResponse): Promise<FoundFile | undefined> {
  let handle: FileHandle;
  try {
    handle = await open(join(root, path), flags);
  } catch {
    return undefined;
  }
  const close = () => handle.close();
  finished(response).then(close, close);
  const [stats, real] = await Promise.all([handle.stat(), placeOf(handle, join(root, path))]);
  if (real !== root && !real.startsWith(root.endsWith(sep) ? root : root + sep)) return undefined;
  const isDirectory = stats.isDirectory();
  return isDirectory || stats.isFile() ? { isDirectory, path: heldPath(handle) } : undefined;
}

/** Without `/proc`, this is where the path leads now, which a user who can write there may have changed meanwhile. */
function placeOf(handle: FileHandle, path: string): Promise<string> {
  return hasProc ? readlink(heldPath(handle)) : realpath(path);
}

function heldPath({ fd }: FileHandle): string {
  return hasProc ? `/proc/self/fd/${fd}` : `/dev/fd/${fd}`;
}

/** The decoded path of a URL; undefined if it is malformed. */
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
