// Finds what a URL names, and holds on to it: what was looked at is what is sent, whatever the path leads to a moment later.
import { constants } from 'node:fs';
import { type FileHandle, open, readlink, realpath } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
import { join, sep } from 'node:path';
import { finished } from 'node:stream/promises';
import { hasProc } from '../os/proc.ts';
import { pathOnly } from '../os/trust/open-to-read.ts';

/** So that a FIFO does not block. */
const flags = hasProc ? pathOnly : constants.O_RDONLY | constants.O_NONBLOCK;

export interface Found {
  isDirectory: boolean;
  /** Leads to it until the response is over, even if it has been renamed or deleted. */
  path: string;
}

/**
 * A file or directory below `root`, which is a real path. Undefined if there is none, if a link leads out of `root`, and
 * for other kinds of files: reading a FIFO, for example, may never end.
 */
export async function find(root: string, path: string, response: ServerResponse): Promise<Found | undefined> {
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
  return isDirectory || stats.isFile() ? { isDirectory, path: pathOf(handle) } : undefined;
}

/** Without `/proc`, this is where the path leads now, which a user who can write there may have changed meanwhile. */
function placeOf(handle: FileHandle, path: string): Promise<string> {
  return hasProc ? readlink(pathOf(handle)) : realpath(path);
}

function pathOf({ fd }: FileHandle): string {
  return hasProc ? `/proc/self/fd/${fd}` : `/dev/fd/${fd}`;
}
