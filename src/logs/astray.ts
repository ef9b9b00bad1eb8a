// What programs write to instead of their log file: it was deleted or renamed, and they have the old file open.
import { readlinkSync, type Stats, statSync } from 'node:fs';
import { basename, extname } from 'node:path';
import type { Descriptor } from '../ipc/rotator-messages.ts';

export interface Astray {
  /** The process that writes to it. */
  pid: number;
  /** Where it is now. */
  path: string;
  stats: Stats;
}

/** Undefined if all write to the log, or nobody can tell: without /proc, or if their output goes through the formatter. */
export function findAstray(file: string, descriptors: readonly Descriptor[]): Astray | undefined {
  const present = found(() => statSync(file));
  for (const { pid, fd } of descriptors) {
    const link = `/proc/${pid}/fd/${fd}`;
    const [stats, path = ''] = [found(() => statSync(link)), found(() => readlinkSync(link))];
    if (!stats?.isFile() || (stats.ino === present?.ino && stats.dev === present.dev)) continue;
    // A program may have redirected its output by itself.
    if (basename(path).startsWith(basename(file, extname(file)))) return { pid, path, stats };
  }
  return undefined;
}

/** Undefined if it is not there: the process may be gone meanwhile. */
function found<T>(look: () => T): T | undefined {
  try {
    return look();
  } catch {
    return undefined;
  }
}

export function isDeleted({ stats }: Astray): boolean {
  return stats.nlink === 0;
}

export function whyAstray(astray: Astray): string {
  return `the file was ${isDeleted(astray) ? 'deleted' : `renamed to ${astray.path}`}, but the app still writes to it`;
}
